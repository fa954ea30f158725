"""The period of a query that names an event: "before I moved", "since the wedding".

The event is searched for among facts and messages. What is found tells its time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeAlias

from erstwhile.core.kinds import TextKind
from erstwhile.core.time import EPOCH, FOREVER
from erstwhile.facts.fact import Fact
from erstwhile.facts.queries import Filters
from erstwhile.recall.filters import RecallOptions, RecordFilters
from erstwhile.recall.hits import RecallHits
from erstwhile.search.periods import named_event

Search: TypeAlias = Callable[[str, RecordFilters, RecallOptions], RecallHits]
_OPTIONS = RecallOptions(limit=1, among=frozenset((TextKind.FACTS, TextKind.MESSAGES)))


class Anchor(NamedTuple):
    """A period, and the id of the record that tells the time of the event."""

    period: tuple[datetime, datetime]
    id: str


def find_anchor(query: str, filters: RecordFilters, search: Search) -> Anchor | None:
    """Return the period before or after an event; None if the query names no known one."""
    event = named_event(query)
    if event is None:
        return None
    as_of, known_at = filters.times
    times = RecordFilters(facts=Filters(as_of=as_of, known_at=known_at))
    for hit in search(event.words, times, _OPTIONS):
        record = hit.record
        moment = record.valid_from if isinstance(record, Fact) else record.timestamp
        return Anchor((EPOCH, moment) if event.is_end else (moment, FOREVER), record.id)
    return None
