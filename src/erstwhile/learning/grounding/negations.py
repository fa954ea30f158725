"""Find negations in many languages, and words that say as much."""

from __future__ import annotations

import re
from functools import cache

from erstwhile.core.text import folded
from erstwhile.learning.grounding.word_lists import accented, any_word

_CONTRAST = re.compile(r"\bdeğil(?=,? \w)")
"""A negation of what comes before it, with what is so instead after it."""


def says_no(statement: str) -> bool:
    """Return whether a statement has a negation, or a word that says as much: "avoids"."""
    return negation(statement) is not None or _implying().search(folded(statement)) is not None


def negation(clause: str) -> re.Match[str] | None:
    """Return the first word that negates."""
    plain = clause.lower().replace("’", "'")
    blanked = _not_negating().sub(lambda found: "_" * len(found[0]), plain)
    blanked = _CONTRAST.sub(lambda found: "_" * len(found[0]), blanked)
    return _negating().search(blanked)


@cache
def _negating() -> re.Pattern[str]:
    return re.compile(any_word(accented("negation", "negates")))


@cache
def _implying() -> re.Pattern[str]:
    return re.compile(any_word(accented("negation", "implies")))


@cache
def _not_negating() -> re.Pattern[str]:
    return re.compile(any_word(accented("negation", "not_negating")))
