"""Leave out the details of a proposal that nobody said: labels, a value, a start, an end.

The statement itself is judged by `grounding`. A detail more or less does not make it wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from erstwhile.core.kinds import Kind
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.dates import day_of
from erstwhile.learning.grounding.names import name_labels
from erstwhile.learning.grounding.said import SaidText
from erstwhile.learning.grounding.stays import end_of_stay
from erstwhile.learning.turn import Turn

STATE_LASTS = timedelta(days=30)
"""How long a state lasts if the turn gives no end, counted from the turn."""
_DAY = timedelta(days=1)


def without_unsaid(candidate: Candidate, said: SaidText) -> tuple[Candidate, list[str]]:
    """Return the candidate without details that nobody said, and those details."""
    if candidate.ends:
        return candidate, []
    kept = replace(
        candidate,
        entities=tuple(each for each in candidate.entities if _is_said(each, candidate, said)),
        relations=tuple(
            each
            for each in candidate.relations
            if _is_said(each.subject, candidate, said) and _is_said(each.object, candidate, said)
        ),
        value=candidate.value if _is_said(candidate.value or "", candidate, said) else None,
        valid_from=_start(candidate.valid_from, said),
        expires_at=_end(candidate.expires_at, said),
    )
    return kept, list(_left_out(candidate, kept))


def with_end(candidate: Candidate, turn: Turn) -> Candidate:
    """Return the candidate; a state without an end gets one."""
    if candidate.kind is not Kind.STATE or candidate.expires_at is not None:
        return candidate
    since = max(turn.said_at, candidate.valid_from or turn.said_at)
    named = end_of_stay(candidate.sentence, turn.said_at)
    return replace(candidate, expires_at=named or since + STATE_LASTS)


def _is_said(label: str, candidate: Candidate, said: SaidText) -> bool:
    """Return whether a label is part of the statement, was said, or is no name."""
    if folded(label) in folded(candidate.text):
        return True
    return all(map(said.has_name, name_labels([label])))


def _start(start: datetime | None, said: SaidText) -> datetime | None:
    if start is None or start.date() == said.said_at.date() or said.times.tell(day_of(start)):
        return start
    return None


def _end(end: datetime | None, said: SaidText) -> datetime | None:
    """Return the end if it was said: "until Friday" ends on Friday, or as Saturday begins."""
    if end is None or said.times.tell(day_of(end)) or said.times.tell(day_of(end - _DAY)):
        return end
    return None


def _left_out(candidate: Candidate, kept: Candidate) -> Iterator[str]:
    yield from (each for each in candidate.entities if each not in kept.entities)
    yield from (" ".join(each) for each in candidate.relations if each not in kept.relations)
    if candidate.value and not kept.value:
        yield candidate.value
    for name, before, after in (
        ("since", candidate.valid_from, kept.valid_from),
        ("until", candidate.expires_at, kept.expires_at),
    ):
        if before is not None and after is None:
            yield f"{name} {before:%Y-%m-%d}"
