"""Why a fact is not among the answers: the first thing that kept it out."""

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

_STANDING = {
    State.DELETED: "it was deleted; `facts.restore` brings it back",
    State.QUARANTINED: "it comes from outside and nobody trusted has confirmed it",
    State.UPCOMING: "it is not true yet",
}


def why_not(recall: Recall, id: str, limit: int) -> WhyNot:
    """What kept a fact from the first `limit`; the question has been asked for many more."""
    view = recall.view
    try:
        fact = FACTS.find(view, id, among=EITHER)
    except NotFoundError as error:
        return WhyNot(reason="not_found", detail=str(error))
    [(seq, *_)] = view.rows("find_text", {"fact": fact.id})
    if seq not in allowed(view, [seq], recall.filters, recall.state):
        return _kept_out(fact, view)
    return _outdone(recall, fact, limit)


def _kept_out(fact: Fact, view: View) -> WhyNot:
    """Where it stands, or, if that is fine, that a filter of the question excludes it."""
    state = fact.state(from_micros(view.as_of))
    if state is State.RETIRED:
        because = fact.retired_because or Ending.EXPIRED
        reason = "expired" if because is Ending.EXPIRED else "retired"
        ended = f"it ended on {fact.ends_at:%Y-%m-%d}" if fact.ends_at else "it ended"
        return WhyNot(reason=reason, detail=f"{ended} ({because})")
    if state in _STANDING:
        return WhyNot(reason=state.value, detail=_STANDING[state])
    return WhyNot(reason="filtered", detail="a filter of the question excludes it")


def _outdone(recall: Recall, fact: Fact, limit: int) -> WhyNot:
    scored = {each.candidate.fact.id: each for each in recall.scored()}
    found = scored.get(fact.id)
    if found is None and recall.complete:
        return WhyNot(reason="no_match", detail="neither its words nor its meaning come near")
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
    detail = f"it comes in place {place + 1}"
    return WhyNot(reason=reason, detail=detail, rank=place + 1, hit=hits[place])
