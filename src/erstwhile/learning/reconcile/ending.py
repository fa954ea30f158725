"""A candidate that only says that something is no longer so: which fact does it name?"""

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


def named(candidate: Candidate, facts: Sequence[Fact]) -> list[Fact]:
    """Those that say the same; without any, those that say the same and more.

    Who has no dog any more has no dog called Rex. The reverse is not so, and is not found. Who no
    longer likes rock may still like the jazz that the fact names beside it: a list does not end.
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
    """How often it goes on to name something else."""
    return len(_BESIDE.findall(text))


def _holds(part: StatementPart, piece: StatementPart) -> bool:
    """Whether all words of the piece stand in the part, in their order, from the same beginning."""
    rest = iter(part.words)
    in_order = all(word in rest for word in piece.words)
    return in_order and part.words[:1] == piece.words[:1] and part.negated == piece.negated
