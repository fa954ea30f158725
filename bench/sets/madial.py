"""MADial-Bench: memories of a child, and dialogues in which the assistant should use some of them.

The question is the dialogue up to the point where the assistant should remember.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.evaluation.haystack import Haystack, Item, Question

_SAID_BY = re.compile(r"^<([^>]+)>\s*:\s*")


def read_madial(folder: Path, language: str) -> Haystack:
    """Read the memories and dialogues of a language, "en" or "zh"."""
    stem = f"MADial-Bench-{language}"
    memories = _lines(folder / f"{stem}-memory.json")
    items = [
        Item(id=id, text=memory["event"], details={"valid_from": memory["time"]})
        for line in memories
        for id, memory in line.items()
    ]
    questions = [_question(line) for line in _lines(folder / f"{stem}-dialogue.json")]
    return Haystack(name=f"madial-{language}", items=items, questions=questions)


def _lines(file: Path) -> Iterator[Mapping[str, Any]]:
    for line in file.read_text("utf-8").splitlines():
        yield json.loads(line)


def _question(dialogue: Mapping[str, Any]) -> Question:
    before = dialogue["dialogue"][1 : dialogue["test-turn"][0]]
    said = [_SAID_BY.sub("", line).strip().strip('"') for line in before]
    return Question(text=" ".join(said), relevant={str(id) for id in dialogue["relevant-id"]})
