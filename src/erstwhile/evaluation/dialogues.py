"""Read dialogues in which something changes, or only seems to.

Each turn has the answers of two simulated language models. One is able. The other is careless: it
takes questions, plans and other people's news for the user's word, and replaces or ends too much.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from erstwhile.evaluation.simulated_model import Proposals

DIALOGUES = Path(__file__).parent / "sets" / "dialogues.json"
"""Our own set, in six languages."""
FURTHER_DIALOGUES = DIALOGUES.with_name("dialogues_further.json")
"""A second set, in eleven languages, most of them others."""
LATER_DIALOGUES = DIALOGUES.with_name("dialogues_later.json")
"""A set in 16 languages for judging only: nobody tunes on it."""


class Learner(StrEnum):
    """Who reads the turns."""

    PATTERNS = "patterns"
    ABLE = "able"
    CARELESS = "careless"


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueTurn:
    """One turn, with the answers of the simulated models."""

    user: str
    assistant: str
    said_at: datetime
    answers: Mapping[Learner, Proposals] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """Some turns, and what must be so after the last one."""

    id: str
    kind: str
    """What the dialogue is about, such as "moved" or "sarcasm"."""
    language: str
    turns: tuple[DialogueTurn, ...]
    live: tuple[tuple[str, ...], ...]
    """Parts of texts: of each group, one must be in a live fact."""
    not_live: tuple[str, ...]
    """Parts of texts that must be in no live fact."""
    wrong: tuple[str, ...]
    """Parts of the texts of facts that were never true, and must have ended as wrong."""


def read_dialogues(path: Path = DIALOGUES) -> list[Dialogue]:
    """Return the dialogues of a file."""
    return [_dialogue(each) for each in json.loads(path.read_text("utf-8"))]


def _dialogue(data: Mapping[str, Any]) -> Dialogue:
    return Dialogue(
        id=data["id"],
        kind=data["kind"],
        language=data["language"],
        turns=tuple(map(_turn, data["turns"])),
        live=tuple(map(tuple, data["live"])),
        not_live=tuple(data["not_live"]),
        wrong=tuple(data.get("wrong", ())),
    )


def _turn(data: Mapping[str, Any]) -> DialogueTurn:
    """Return a turn. Where a careless model answers like an able one, its answer is left out."""
    return DialogueTurn(
        user=data["user"],
        assistant=data["assistant"],
        said_at=datetime.fromisoformat(data["said_at"]).replace(hour=12, tzinfo=UTC),
        answers={
            Learner.ABLE: data["able"],
            Learner.CARELESS: data.get("careless", data["able"]),
        },
    )
