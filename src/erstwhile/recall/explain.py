"""Explain why a fact is not among the hits: the first reason that excluded it."""

from __future__ import annotations

from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Ending, State
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.recall.candidates import allowed
from erstwhile.recall.hits import WhyNot
from erstwhile.recall.recall import Recall
from erstwhile.storage.table import EITHER
from erstwhile.storage.view import View

_STATES = {
    State.DELETED: "it was deleted; restore it with `facts.restore`",
    State.QUARANTINED: "it comes from an untrusted source and is not confirmed",
    State.UPCOMING: "it is not true yet",
}


def why_not(recall: Recall, id: str, limit: int) -> WhyNot:
    """Return what excluded a fact from the first `limit` hits; `recall` has a much higher limit."""
    view = recall.view
    try:
        fact = FACTS.find(view, id, among=EITHER)
    except NotFoundError as error:
        return WhyNot(reason="not_found", detail=str(error))
    [(seq, *_)] = view.rows("find_text", {"fact": fact.id})
    if seq not in allowed(view, [seq], recall.filters, recall.state):
        return _excluded(fact, view)
    return _ranked(recall, fact, limit)


def _excluded(fact: Fact, view: View) -> WhyNot:
    """Explain an exclusion by the state of the fact or, if that is fine, by a filter."""
    state = fact.state(from_micros(view.as_of))
    if state is State.RETIRED:
        ending = fact.ending or Ending.EXPIRED
        reason = "expired" if ending is Ending.EXPIRED else "retired"
        ended = f"it ended on {fact.ends_at:%Y-%m-%d}" if fact.ends_at else "it ended"
        return WhyNot(reason=reason, detail=f"{ended} ({ending})")
    if state in _STATES:
        return WhyNot(reason=state.value, detail=_STATES[state])
    return WhyNot(reason="filtered", detail="a filter of the query excludes it")


def _ranked(recall: Recall, fact: Fact, limit: int) -> WhyNot:
    """Explain an exclusion by the relevance or the rank of the fact."""
    scored = {each.candidate.fact.id: each for each in recall.scored()}
    found = scored.get(fact.id)
    if found is None and recall.complete:
        return WhyNot(reason="no_match", detail="neither its words nor its meaning match")
    if found is not None and found.relevance < recall.floor:
        return WhyNot(
            reason="below_floor",
            detail=f"its relevance is {found.relevance:.3f}, the floor {recall.floor:.3f}",
        )
    hits = recall.hits()
    place = next((at for at, hit in enumerate(hits) if hit.fact.id == fact.id), None)
    if place is None:
        return WhyNot(reason="outranked", detail=f"more than {len(hits):,} facts match better")
    reason = "returned" if place < limit else "outranked"
    detail = f"its rank is {place + 1}"
    return WhyNot(reason=reason, detail=detail, rank=place + 1, hit=hits[place])
