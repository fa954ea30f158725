"""Split an English sentence into its main clauses."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.plain.words import nouns, part, verbs

MOST_PIECES = 24
_JOINT = re.compile(r"(?:^|[.;!?:,–—] |\b(?:but|so|because|that) )((?:[\w'-]+,? ){1,6})and $")
_LONGEST_JOINT = 120
_FIRST_PERSON = re.compile(r"\b(?:i|we|my|our)\b", re.IGNORECASE)
_I = re.compile(r"I\b|me\b")
_SPEAKING = frozenset(("i", "we", "am", "is", "are", "was", "were", "it", "this", "that", "not"))


class MainClause(NamedTuple):
    """A main clause of a sentence: its place, and its words."""

    start: int
    end: int
    text: str


def pieces(sentence: str) -> list[MainClause]:
    """Return the main clauses of a sentence in the first person.

    A joint subject, as in "Sam and I", stays whole.
    """
    if _FIRST_PERSON.search(sentence) is None:
        return []
    found = list(islice(part("split").found_in(sentence), MOST_PIECES))
    starts = [0, *(each.end() for each in found)]
    ends = [*(each.start() for each in found), len(sentence)]
    joined = list[MainClause]()
    for start, end in zip(starts, ends, strict=True):
        before = sentence[joined[-1].start : start] if joined else ""
        speaks = _I.match(sentence, start) is not None
        joint = before.endswith("me and ") or (speaks and is_joint_subject(before))
        first = joined.pop().start if joint else start
        joined.append(MainClause(first, end, sentence[first:end]))
    return [each for each in joined if each.text.strip()]


def is_joint_subject(before: str) -> bool:
    """Return whether words before "I" name another person who does the same: "Sam and I"."""
    found = _JOINT.search(before[-_LONGEST_JOINT:])
    if found is None:
        return False
    words = found[1].replace(",", "").split()
    low = [word.lower() for word in words]
    spoken = any(word in verbs() or not word.isalpha() for word in low)
    person = any(word[0].isupper() or nouns().get(word) is Kind.RELATION for word in words)
    return person and not spoken and _SPEAKING.isdisjoint(low)


def is_jest(sentence: str) -> bool:
    """Return whether a sentence is not meant, asks with a tag, or is said by somebody else."""
    return part("jest").is_in(sentence)
