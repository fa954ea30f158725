"""Play dialogues in which something changes or only seems to, without a language model.

What patterns learned is judged by the facts at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import erstwhile
from bench.evaluation.simulated_model import SETS
from erstwhile import Fact, Memory
from erstwhile.core.text import folded
from erstwhile.testing.clock import FakeClock
from erstwhile.types import Ending, State

DIALOGUES = SETS / "dialogues.json"
"""Our own set, in six languages."""
FURTHER_DIALOGUES = SETS / "dialogues_further.json"
"""A second set, in eleven languages, most of them others."""
LATER_DIALOGUES = SETS / "dialogues_later.json"
"""A set in 16 languages for judging only: nobody tunes on it."""
_ALL = 500
"""More facts than a dialogue has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueTurn:
    """One turn."""

    user: str
    assistant: str
    said_at: datetime


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


class Fault(StrEnum):
    """What is wrong at the end of a dialogue."""

    WRONGLY_RETIRED = "wrongly retired"
    STALE = "stale kept"
    BELIEVED = "wrongly believed"
    MISSED = "missed"
    ENDED_OTHERWISE = "not ended as wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedDialogue:
    """A dialogue that was played, its faults, and the facts at its end."""

    dialogue: Dialogue
    faults: frozenset[Fault]
    live: tuple[str, ...]
    retired: tuple[str, ...]


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
    return DialogueTurn(
        user=data["user"],
        assistant=data["assistant"],
        said_at=datetime.fromisoformat(data["said_at"]).replace(hour=12, tzinfo=UTC),
    )


def play_dialogue(dialogue: Dialogue) -> PlayedDialogue:
    """Play one dialogue; each has its own memory, because time does not go backwards in one."""
    clock = FakeClock(dialogue.turns[0].said_at)
    with erstwhile.open(":memory:", llm="none", clock=clock) as memory:
        user = memory.scoped(user=dialogue.id)
        *earlier, live = [_observed(user, turn, clock) for turn in dialogue.turns]
        retired = list(user.facts.list(state=State.RETIRED, limit=_ALL))
    return PlayedDialogue(
        dialogue=dialogue,
        faults=frozenset(_faults(dialogue, earlier, live, retired)),
        live=tuple(live),
        retired=tuple(f"{fact.text} ({fact.ending})" for fact in retired),
    )


def _observed(user: Memory, turn: DialogueTurn, clock: FakeClock) -> list[str]:
    """Learn from a turn, and return the texts of the live facts after it."""
    clock.set(max(turn.said_at, clock.advance(minutes=1)))
    user.observe_turn(turn.user, turn.assistant, said_at=clock.now(), wait=True)
    return [fact.text for fact in user.facts.list(limit=_ALL)]


def _faults(
    dialogue: Dialogue, earlier: Sequence[Sequence[str]], live: Sequence[str], retired: list[Fact]
) -> Iterator[Fault]:
    for group in dialogue.live:
        if not _has(live, group):
            was = any(_has(texts, group) for texts in earlier)
            yield Fault.WRONGLY_RETIRED if was else Fault.MISSED
    for part in dialogue.not_live:
        if _has(live, [part]):
            was = any(_has(texts, [part]) for texts in earlier)
            yield Fault.STALE if was else Fault.BELIEVED
    otherwise = [fact.text for fact in retired if fact.ending is not Ending.WRONG]
    if _has(otherwise, dialogue.wrong):
        yield Fault.ENDED_OTHERWISE


def _has(texts: Iterable[str], parts: Iterable[str]) -> bool:
    """Return whether one of the parts is in one of the texts."""
    wanted = [folded(part) for part in parts]
    return any(part in folded(text) for text in texts for part in wanted)
