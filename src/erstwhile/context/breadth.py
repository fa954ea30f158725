"""Order what was found so that a context is broad before it is deep.

Records of whom a question names come before equal ones of others. A question that gathers ("how
many", "which", "in which order") needs one passage of each session before a second one of any. Its
expressions are in `gathering.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from erstwhile.conversations.conversation import Message
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.recall.hits import Hit
from erstwhile.search.terms import query_terms
from erstwhile.search.topic import proper_names

_NAMED = 1.5
"""How much more a record counts that is about somebody whom the question names."""


_IN_FULL, _IN_FULL_OF_MANY = 24, 8
"""The messages that are quoted in passages: a line tells of the others that they matter."""


def gathers(query: str) -> bool:
    """Return whether the answer of a question has its parts in many places."""
    return bool(_expressions("gathers").search(query))


def asks_what_user_said(query: str) -> bool:
    """Return whether a question gathers what the user said: no answer of the assistant counts."""
    return gathers(query) and bool(_expressions("told_by_user").search(query))


def most_in_full(query: str) -> int:
    """Return how many messages are quoted in passages; of the others one line is."""
    return _IN_FULL_OF_MANY if gathers(query) else _IN_FULL


def broad(hits: Iterable[Hit], query: str, names: Sequence[str]) -> list[Hit]:
    """Return hits in the order in which they fill a context. `names` are known to be named."""
    found = list(hits)
    if not any(hit.why.reranked is not None for hit in found):
        weight = _weight(query, names)
        found.sort(key=lambda hit: -hit.why.score * weight(hit))
    return _first_of_each_session(found) if gathers(query) else found


def _weight(query: str, names: Sequence[str]) -> Callable[[Hit], float]:
    """Return the function that weighs a hit by whom it is about."""
    named = {folded(name) for name in names}
    terms = {term for name in names or proper_names(query) for term in query_terms(name)}

    def weight(hit: Hit) -> float:
        match hit.record:
            case Fact() as fact:
                is_named = not named.isdisjoint(map(folded, fact.entities))
                return _NAMED if is_named else 1.0
            case Message():
                return 1.0 if terms.isdisjoint(hit.why.terms) else _NAMED
        return 1.0

    return weight


def _first_of_each_session(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best hit of each session first, then all others."""
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(_session(hit), hit)
    return [*first.values(), *(hit for hit in hits if first[_session(hit)] is not hit)]


def _session(hit: Hit) -> str:
    """Return what tells the session of a record: its conversation, or the day of a fact."""
    match hit.record:
        case Message() as message:
            return message.conversation
        case Fact() as fact:
            source = fact.source.conversation if fact.source else None
            return source or fact.valid_from.isoformat()[:10]
    return hit.record.id


@cache
def _expressions(kind: str) -> re.Pattern[str]:
    rules = tomllib.loads(Path(__file__).with_name("gathering.toml").read_text("utf-8"))
    return re.compile("|".join(rules[kind]), re.IGNORECASE)
