"""Read the format of LongMemEval: each question has its own sessions with an assistant.

The evidence are the turns with `has_answer`; if no turn is marked, the sessions with the answer.
Questions that cannot be answered (`_abs`) are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from erstwhile.evaluation.haystack import Haystack, Item, Question

_UNANSWERABLE = "_abs"


def read_longmemeval(samples: Sequence[Mapping[str, Any]]) -> list[Haystack]:
    """Return a haystack for each question."""
    return [
        _haystack(sample) for sample in samples if not sample["question_id"].endswith(_UNANSWERABLE)
    ]


def _haystack(sample: Mapping[str, Any]) -> Haystack:
    parts = (sample[f"haystack_{part}"] for part in ("session_ids", "dates", "sessions"))
    sessions = sorted(zip(*parts, strict=True), key=lambda each: _moment(each[1]))
    items, marked = [], set()
    for session, date, turns in sessions:
        for item, turn in zip(_items(session, _moment(date), turns), turns, strict=True):
            items.append(item)
            if turn.get("has_answer"):
                marked.add(item.id)
    kept = [item for item in items if item.text.strip()]
    return Haystack(name=sample["question_id"], items=kept, questions=[_question(sample, marked)])


def _items(session: str, said_at: datetime, turns: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    for number, turn in enumerate(turns):
        yield Item(
            id=f"{session}#{number}",
            text=turn["content"],
            details={"source": session, "valid_from": said_at},
            role=turn["role"],
            session=session,
            said_at=said_at,
        )


def _question(sample: Mapping[str, Any], marked: set[str]) -> Question:
    return Question(
        text=sample["question"],
        relevant=frozenset(marked or sample["answer_session_ids"]),
        category=sample["question_type"],
        by_session=not marked,
    )


def _moment(written: str) -> datetime:
    """Return a time that is written like "2023/05/20 (Sat) 02:21"."""
    return datetime.strptime(written, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
