"""Find the fact that a statement of the user says is over, by the words that name it.

"I quit the choir" does not say how the fact was told. The fact must be about the user, must have
each of these words, and must say nothing else that may still be so.
"""

from __future__ import annotations

import re

from erstwhile.core.kinds import Kind
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import ends_something
from erstwhile.learning.moods.signs import Sign
from erstwhile.learning.reconcile.naming import content, shared
from erstwhile.learning.reconcile.subject import Subject, subject_of

_LASTING = (Kind.EVENT, Kind.DECISION)
"""What has happened stays true: who sold a car did buy it."""
_JOINED = re.compile(
    r"[,，、;；&]|\b(?:and|or|und|oder|y|o|et|ou|e|i|и)\b|\ben\b(?= (?:een|de|het|ik|mijn|onze)\b)"
    r"|[和或与跟]|以及|し、"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_STEM, _ENDING = 3, 2
"""The letters at the beginning that forms of a verb share, and those that they add."""
_QUOTED = 'The user said: "'


def names_as_over(candidate: Candidate, fact: Fact) -> bool:
    """Return whether a candidate that ends something names this fact by its words."""
    if fact.kind in _LASTING or not _is_of_user(fact) or _says_no(fact.text):
        return False
    if not all(_has(fact.text, name) for name in candidate.instead_of):
        return False
    if candidate.key is not None:
        return folded(candidate.key) == fact.key
    return any(map(_names, candidate.instead_of)) and not _JOINED.search(fact.text)


def _is_of_user(fact: Fact) -> bool:
    """Return whether a fact is about the user, and not about somebody of the user."""
    quoted_of_others = fact.kind is Kind.RELATION and fact.text.startswith(_QUOTED)
    return subject_of(fact.text) is Subject.USER and not quoted_of_others


def _says_no(text: str) -> bool:
    return ends_something(text) or Sign.DENIES.is_in(text)


def _names(name: str) -> bool:
    """Return whether a name has other words than stop words."""
    return bool(_UNSPACED.search(name) or content(name))


def _has(text: str, name: str) -> bool:
    """Return whether a text has all words of a name; stop words are not compared."""
    if _UNSPACED.search(name):
        return name in text
    missing = content(name) - shared(name, text)
    return all(any(_one_verb(word, each) for each in content(text)) for word in missing)


def _one_verb(word: str, other: str) -> bool:
    """Return whether two words may be forms of one verb: "fumar", "fumo"."""
    stem = max(_STEM, max(len(word), len(other)) - _ENDING)
    return word[:stem] == other[:stem] and min(len(word), len(other)) >= stem
