"""Language codes, and the names that people use for languages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_label, folded

LANGUAGE_KEY = "language"
"""The key of the fact that holds the preferred language."""

_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)


def language_code(text: str) -> str | None:
    """Return the code for a code or a name such as "Portuguese"; None for any other text."""
    named = _codes().get(folded(text))
    return named or (text.lower() if _CODE.fullmatch(text) else None)


def checked_language(given: str) -> str:
    """Return the code of a language, given as "de", "pt-BR" or "German". Raise if it is unknown."""
    code = language_code(checked_label(given, name="language"))
    if code is None:
        raise InvalidInputError(
            f"{given!r} is not a language code", remedy='write "de", "pt-br" or "zh-hant"'
        )
    return code


@cache
def _codes() -> dict[str, str]:
    import tomllib  # few programs name a language

    table = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
    return {folded(name): code for code, names in table.items() for name in names}
