"""Read MADial-Bench: memories of a child, and dialogues in which the assistant should use some.

The question is the dialogue up to the point where the assistant should remember.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from erstwhile.evaluation.haystack import Haystack, Item, Question

_SAID_BY = re.compile(r"^<([^>]+)>\s*:\s*")


def read_madial(
    memories: Sequence[Mapping[str, Any]], dialogues: Sequence[Mapping[str, Any]]
) -> list[Haystack]:
    """Return one haystack: all memories, and a question for each dialogue."""
    questions = [_question(dialogue) for dialogue in dialogues]
    return [Haystack(name="madial", items=list(_items(memories)), questions=questions)]


def _items(memories: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    for line in memories:
        for id, memory in line.items():
            time = memory["time"]
            yield Item(
                id=id,
                text=memory["event"],
                details={"valid_from": time},
                session=time,
                said_at=datetime.fromisoformat(time).replace(tzinfo=UTC),
            )


def _question(dialogue: Mapping[str, Any]) -> Question:
    before = dialogue["dialogue"][1 : dialogue["test-turn"][0]]
    said = [_SAID_BY.sub("", line).strip().strip('"') for line in before]
    return Question(text=" ".join(said), relevant={str(id) for id in dialogue["relevant-id"]})
