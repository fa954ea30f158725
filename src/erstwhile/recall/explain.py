"""Explain why a record is not among the hits: the first reason that excluded it."""

from __future__ import annotations

from dataclasses import replace

from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Ending, State
from erstwhile.core.results import MAX_LIMIT
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import Fact
from erstwhile.recall.candidates import select_candidates
from erstwhile.recall.filters import RecallOptions, RecordFilters
from erstwhile.recall.hits import Recalled, WhyNot
from erstwhile.recall.query import QueryContext
from erstwhile.recall.recall import Recall
from erstwhile.recall.records import find_record
from erstwhile.storage.view import View

_STATES = {
    State.DELETED: "it was deleted; restore it with `facts.restore`",
    State.QUARANTINED: "it comes from an untrusted source and is not confirmed",
    State.UPCOMING: "it is not true yet",
}


def why_not(
    view: View, query: QueryContext, filters: RecordFilters, options: RecallOptions, id: str
) -> WhyNot:
    """Return what excluded a record from the hits of a query."""
    recall = Recall(view, query, filters, replace(options, limit=MAX_LIMIT))
    try:
        record = find_record(view, id, options.among)
    except NotFoundError as error:
        return WhyNot(reason="not_found", detail=str(error))
    seqs = [row[0] for row in view.rows("find_passages", {"record": record.id})]
    if record.id not in select_candidates(view, seqs, recall.filters):
        return _excluded(record, view)
    return _ranked(recall, record, options)


def _excluded(record: Recalled, view: View) -> WhyNot:
    """Explain an exclusion by the state of the record or, if that is fine, by a filter."""
    if isinstance(record, Fact):
        state = record.state_at(from_micros(view.as_of))
        if state is State.RETIRED:
            ending = record.ending or Ending.EXPIRED
            reason = "expired" if ending is Ending.EXPIRED else "retired"
            ended = f"it ended on {record.ends_at:%Y-%m-%d}" if record.ends_at else "it ended"
            return WhyNot(reason=reason, detail=f"{ended} ({ending})")
        if state in _STATES:
            return WhyNot(reason=state.value, detail=_STATES[state])
    elif getattr(record, "undone_at", None) or getattr(record, "deleted_at", None):
        return WhyNot(reason="deleted", detail="it was deleted or undone")
    return WhyNot(reason="filtered", detail="a filter of the query excludes it")


def _ranked(recall: Recall, record: Recalled, options: RecallOptions) -> WhyNot:
    """Explain an exclusion by the relevance or the rank of the record."""
    scored = {each.candidate.id: each for each in recall.scored()}
    found = scored.get(record.id)
    if recall.complete if found is None else not recall.matches(found):
        return WhyNot(reason="no_match", detail="neither its words nor its meaning match")
    if found is not None and found.relevance < options.lowest:
        return WhyNot(
            reason="below_floor",
            detail=f"its relevance is {found.relevance:.3f}, the floor {options.lowest:.3f}",
        )
    if found is not None and all(each.relevance < options.best for each in scored.values()):
        return WhyNot(
            reason="below_floor",
            detail=f"its relevance is {found.relevance:.3f}, and no record is above "
            f"{options.best:.1f}; ask with a `floor` for weak hits",
        )
    hits = recall.hits()
    place = next((at for at, hit in enumerate(hits) if hit.record.id == record.id), None)
    if place is None:
        return WhyNot(reason="outranked", detail=f"more than {len(hits):,} records match better")
    reason = "returned" if place < options.limit else "outranked"
    detail = f"its rank is {place + 1}"
    return WhyNot(reason=reason, detail=detail, rank=place + 1, hit=hits[place])
