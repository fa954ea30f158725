"""Explain why a record is not among the hits: the first reason that excluded it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from erstwhile.conversations.messages import find_message
from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Ending, State, TextKind
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.recall.candidates import allowed
from erstwhile.recall.hits import Recalled, WhyNot
from erstwhile.recall.other_records import TABLES
from erstwhile.recall.recall import Recall
from erstwhile.storage.table import EITHER, Table
from erstwhile.storage.view import View

_STATES = {
    State.DELETED: "it was deleted; restore it with `facts.restore`",
    State.QUARANTINED: "it comes from an untrusted source and is not confirmed",
    State.UPCOMING: "it is not true yet",
}
_TABLES: Mapping[TextKind, Table[Any]] = {TextKind.FACTS: FACTS, **TABLES}


def why_not(recall: Recall, id: str, limit: int) -> WhyNot:
    """Return what excluded a record from the first `limit` hits.

    `recall` has a much higher limit.
    """
    view = recall.view
    try:
        record = _find(view, id, recall.among)
    except NotFoundError as error:
        return WhyNot(reason="not_found", detail=str(error))
    seqs = [row[0] for row in view.rows("find_passages", {"record": record.id})]
    if record.id not in allowed(view, seqs, recall.narrowing):
        return _excluded(record, view)
    return _ranked(recall, record, limit)


def _find(view: View, id: str, among: Iterable[TextKind]) -> Recalled:
    """Return the visible record of one of these kinds, deleted or not."""
    failure: NotFoundError | None = None
    for kind in sorted(among, key=list(TextKind).index):
        try:
            return _find_kind(view, kind, id)
        except NotFoundError as error:
            failure = failure or error
    raise failure or NotFoundError(f"no record {id!r} is visible here")


def _find_kind(view: View, kind: TextKind, id: str) -> Recalled:
    if kind is TextKind.MESSAGES:
        return find_message(view, id)
    found: Recalled = _TABLES[kind].find(view, id, among=EITHER)
    return found


def _excluded(record: Recalled, view: View) -> WhyNot:
    """Explain an exclusion by the state of the record or, if that is fine, by a filter."""
    if isinstance(record, Fact):
        return _excluded_fact(record, view)
    hidden = getattr(record, "undone_at", None) or getattr(record, "deleted_at", None)
    if hidden is not None:
        return WhyNot(reason="deleted", detail="it was deleted or undone")
    return WhyNot(reason="filtered", detail="a filter of the query excludes it")


def _excluded_fact(fact: Fact, view: View) -> WhyNot:
    state = fact.state(from_micros(view.as_of))
    if state is State.RETIRED:
        ending = fact.ending or Ending.EXPIRED
        reason = "expired" if ending is Ending.EXPIRED else "retired"
        ended = f"it ended on {fact.ends_at:%Y-%m-%d}" if fact.ends_at else "it ended"
        return WhyNot(reason=reason, detail=f"{ended} ({ending})")
    if state in _STATES:
        return WhyNot(reason=state.value, detail=_STATES[state])
    return WhyNot(reason="filtered", detail="a filter of the query excludes it")


def _ranked(recall: Recall, record: Recalled, limit: int) -> WhyNot:
    """Explain an exclusion by the relevance or the rank of the record."""
    scored = {each.candidate.id: each for each in recall.scored()}
    found = scored.get(record.id)
    if found is None and recall.complete:
        return WhyNot(reason="no_match", detail="neither its words nor its meaning match")
    if found is not None and found.relevance < recall.floor:
        return WhyNot(
            reason="below_floor",
            detail=f"its relevance is {found.relevance:.3f}, the floor {recall.floor:.3f}",
        )
    hits = recall.hits()
    place = next((at for at, hit in enumerate(hits) if hit.record.id == record.id), None)
    if place is None:
        return WhyNot(reason="outranked", detail=f"more than {len(hits):,} records match better")
    reason = "returned" if place < limit else "outranked"
    detail = f"its rank is {place + 1}"
    return WhyNot(reason=reason, detail=detail, rank=place + 1, hit=hits[place])
