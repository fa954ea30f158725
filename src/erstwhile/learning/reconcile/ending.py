"""Find the fact that a candidate ends: "I no longer have a dog"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.reconcile.compare import compare
from erstwhile.learning.reconcile.comparison import Sense
from erstwhile.learning.reconcile.model_claims import points_at
from erstwhile.learning.reconcile.statement import StatementPart, names_in, read

_BESIDE = re.compile(r"[,，、;；&]|\b(?:and|or|as well as|plus)\b|[和或与跟]|以及", re.IGNORECASE)


def ended_facts(candidate: Candidate, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts with the same content; if there are none, those with more content.

    A user without a dog has no dog called Rex, but a user without the dog Rex may have a dog. A
    fact that lists more things than the candidate is not returned: a user who no longer likes rock
    may still like jazz.
    """
    pointed = [fact for fact in facts if points_at(candidate, fact)]
    within = pointed or facts
    same = [fact for fact in within if compare(candidate.text, fact.text).sense is Sense.SAME]
    return same or [fact for fact in within if _says_more(fact.text, candidate.text)]


def _says_more(text: str, than: str) -> bool:
    names = names_in(text, than)
    long, short = read(text, names), read(than, names)
    if long.manner != short.manner or not short.parts or _lists(text) > _lists(than):
        return False
    return all(any(_holds(part, piece) for part in long.parts) for piece in short.parts)


def _lists(text: str) -> int:
    """Return how many further things a text lists."""
    return len(_BESIDE.findall(text))


def _holds(part: StatementPart, piece: StatementPart) -> bool:
    """Return whether the part has all words of the piece, in order and from the same beginning."""
    rest = iter(part.words)
    in_order = all(word in rest for word in piece.words)
    return in_order and part.words[:1] == piece.words[:1] and part.negated == piece.negated
