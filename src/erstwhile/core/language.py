"""Languages: codes, and guesses with a confidence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_label
from erstwhile.secrets.masking import masked_repr

LANGUAGE_KEY = "language"
"""The key of the fact that holds the preferred language."""

_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)
_SURE = 0.8
_ENOUGH = 3
"""The lowest number of words for a guess: a few words are often names, commands or loan words."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageGuess:
    """The probable language of a text; `language` is None if it is unknown."""

    language: str | None
    """A code such as "de"."""
    confidence: float
    words: int
    """The number of words of prose, without code, links and file names."""

    @property
    def settled(self) -> bool:
        """Whether the guess is certain enough for a stored preference."""
        return self.language is not None and self.confidence >= _SURE and self.words >= _ENOUGH


def is_language(code: str) -> bool:
    """Return whether a text is a language code; a stored value may be any text."""
    return _CODE.fullmatch(code) is not None


def checked_language(code: str) -> str:
    """Return a language code such as "de" or "pt-br" in lower case. Raise if it is invalid."""
    label = checked_label(code, name="language")
    if not is_language(label):
        raise InvalidInputError(
            f"{label!r} is not a language code", remedy='write "de", "pt-br" or "zh-hant"'
        )
    return label.lower()
