"""Read BEAM: conversations with an assistant, and questions whose evidence are messages.

Questions without evidence are left out, and so are those that have no answer (abstention) or
that ask for a summary of everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from erstwhile.evaluation.haystack import Haystack, Item, Question

_LEFT_OUT = frozenset(("abstention", "summarization"))


def read_beam(samples: Sequence[Mapping[str, Any]]) -> list[Haystack]:
    """Return the conversations, each with its questions."""
    return [
        Haystack(
            name=f"beam-{sample['id']}",
            items=[_item(message) for message in sample["messages"]],
            questions=list(_questions(sample["questions"])),
        )
        for sample in samples
    ]


def _item(message: Mapping[str, Any]) -> Item:
    session = f"session {message['session']}"
    said_at = datetime.strptime(message["date"], "%B-%d-%Y").replace(tzinfo=UTC)
    return Item(
        id=str(message["id"]),
        text=message["content"],
        details={"source": session, "valid_from": said_at},
        role=message["role"],
        session=session,
        said_at=said_at,
    )


def _questions(samples: Sequence[Mapping[str, Any]]) -> Iterator[Question]:
    for sample in samples:
        if sample["evidence"] and sample["category"] not in _LEFT_OUT:
            yield Question(
                text=sample["question"],
                relevant=frozenset(map(str, sample["evidence"])),
                category=sample["category"],
                wish=sample.get("instruction") or "",
            )
