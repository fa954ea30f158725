"""Languages: which one somebody writes in, and how sure we are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_label

LANGUAGE_KEY = "language"
"""Under which key a preference is kept: it is a fact like any other."""

_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)
_SURE = 0.8
_ENOUGH = 3
"""Words: fewer are names, commands or loans as often as they are language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageGuess:
    """What a text seems to be written in; `language` is None when nothing tells."""

    language: str | None
    """A code such as "de"."""
    confidence: float
    words: int
    """How much of the text was prose to judge by; code, links and names of files are not."""

    @property
    def settled(self) -> bool:
        """Whether it is sure enough to be kept as a preference."""
        return self.language is not None and self.confidence >= _SURE and self.words >= _ENOUGH


def is_language(code: str) -> bool:
    """Whether it is a code; a value that was stored under the key may be any text."""
    return _CODE.fullmatch(code) is not None


def checked_language(code: str) -> str:
    """A language code such as "de" or "pt-br", in lower case."""
    said = checked_label(code, name="language")
    if not is_language(said):
        raise InvalidInputError(
            f"{said!r} is no language code", remedy='write "de", "pt-br" or "zh-hant"'
        )
    return said.lower()
