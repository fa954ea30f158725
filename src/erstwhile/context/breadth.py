"""Order what was found so that a context is broad before it is deep.

Records of whom a question names come before equal ones of others. A question that gathers ("how
many", "which", "in which order") needs one passage of each session before a second one of any. Its
expressions are in `gathering.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeAlias

from erstwhile.conversations.conversation import Message
from erstwhile.core.results import Trace
from erstwhile.core.text import folded
from erstwhile.core.time import EPOCH
from erstwhile.facts.fact import Fact
from erstwhile.recall.hits import Hit, Recalled
from erstwhile.search.terms import query_terms
from erstwhile.search.topic import proper_names

Period: TypeAlias = tuple[datetime, datetime]
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


def is_reordered(query: str) -> bool:
    """Return whether other records than the best ones may come first: `broad` moves them."""
    return gathers(query) or bool(proper_names(query))


def most_in_full(query: str) -> int:
    """Return how many messages are quoted in passages; of the others one line is."""
    return _IN_FULL_OF_MANY if gathers(query) else _IN_FULL


def broad(hits: Iterable[Hit], query: str, trace: Trace) -> list[Hit]:
    """Return hits in the order in which they fill a context."""
    found = list(hits)
    if not any(hit.why.reranked is not None for hit in found):
        is_named = _names_subject(query, trace)
        found.sort(key=lambda hit: -hit.why.score * (_NAMED if is_named(hit) else 1.0))
    return _first_of_each_session(found) if gathers(query) else found


def is_within(period: Period | None) -> Callable[[Hit], bool]:
    """Return the function that tells whether a record is of a period; the whole past is none."""
    if period is None or period[0] <= EPOCH:
        return lambda _: False
    start, end = period
    return lambda hit: start <= _moment(hit.record) < end


def _moment(record: Recalled) -> datetime:
    return record.valid_from if isinstance(record, Fact) else record.timestamp


def _names_subject(query: str, trace: Trace) -> Callable[[Hit], bool]:
    """Return the function that tells whether a hit is about somebody whom the question names."""
    named = {folded(name) for name in trace.names}
    terms = {term for name in trace.names or proper_names(query) for term in query_terms(name)}

    def is_named(hit: Hit) -> bool:
        if isinstance(hit.record, Fact):
            return not named.isdisjoint(map(folded, hit.record.entities))
        return not terms.isdisjoint(hit.why.terms)

    return is_named


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
