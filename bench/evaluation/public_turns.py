"""Cut single turns out of the public conversations of BEAM, LoCoMo and MADial-Bench.

The data are not part of the project. A place names a turn: `beam/CONVERSATION/MESSAGE`,
`locomo/CONVERSATION/LINE` or `madial/LANGUAGE/DIALOGUE/LINE`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[3] / "shared" / "data"
_MAX_ANSWER = 1_500
"""The characters of an assistant's answer that are played."""
_MADIAL_DAY = datetime(2025, 5, 10, 12, tzinfo=UTC)
"""MADial-Bench has no dates."""
_SPOKEN = re.compile(r'\s*<(\w+)>\s*[:：]\s*["“]?(.*?)["”]?\s*', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedExchange:
    """What a user said, what was answered, and what tools returned."""

    user: str
    assistant: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTurn:
    """A turn of a conversation, with the exchange before it."""

    said_at: datetime
    said: PlayedExchange
    before: PlayedExchange | None = None


def public_turn(place: str) -> PublicTurn:
    """Return the turn at a place of the public data."""
    source, *where = place.split("/")
    return _READERS[source](*where)


def is_available() -> bool:
    """Return whether the public data are beside the checkout."""
    return DATA.is_dir()


def _beam(conversation: str, message: str) -> PublicTurn:
    messages = _beam_messages()[int(conversation)]
    at = next(at for at, each in enumerate(messages) if each["id"] == int(message))
    said = messages[at]
    lines = [(each["role"] == "user", each["content"]) for each in messages]
    same = at >= 2 and messages[at - 2]["session"] == said["session"]
    day = datetime.strptime(said["date"], "%B-%d-%Y").replace(hour=12, tzinfo=UTC)
    return _turn(lines, at, day, before=same)


def _locomo(conversation: str, line: str) -> PublicTurn:
    session = line[1:].partition(":")[0]
    talk = _locomo_talks()[conversation]
    lines = talk[f"session_{session}"]
    at = next(at for at, each in enumerate(lines) if each["dia_id"] == line)
    user = lines[at]["speaker"]
    _, _, day = talk[f"session_{session}_date_time"].partition(" on ")
    said_at = datetime.strptime(day, "%d %B, %Y").replace(hour=12, tzinfo=UTC)
    said = [(each["speaker"] == user, each["text"].strip()) for each in lines]
    return _turn(said, at, said_at)


def _madial(language: str, dialogue: str, line: str) -> PublicTurn:
    written = _madial_dialogues(language)[int(dialogue)]["dialogue"]
    spoken = [found for each in written if (found := _SPOKEN.fullmatch(each.strip()))]
    lines = [(found[1] != "Assistant", found[2]) for found in spoken]
    return _turn(lines, int(line), _MADIAL_DAY)


def _turn(
    lines: Sequence[tuple[bool, str]], at: int, said_at: datetime, *, before: bool = True
) -> PublicTurn:
    """Return the turn of the user's line at a place; each line says whether it is the user's."""

    def text(place: int, *, of_user: bool) -> str:
        found = 0 <= place < len(lines) and lines[place][0] == of_user
        return lines[place][1] if found else ""

    answer = text(at + 1, of_user=False)[:_MAX_ANSWER]
    said = PlayedExchange(user=lines[at][1], assistant=answer)
    answered = text(at - 1, of_user=False)[:_MAX_ANSWER]
    if not before or not answered:
        return PublicTurn(said_at=said_at, said=said)
    earlier = PlayedExchange(user=text(at - 2, of_user=True), assistant=answered)
    return PublicTurn(said_at=said_at, said=said, before=earlier)


@cache
def _beam_messages() -> dict[int, list[dict[str, Any]]]:
    file = DATA / "beam" / "beam-100k-1to8.json"
    return {each["id"]: each["messages"] for each in json.loads(file.read_text("utf-8"))}


@cache
def _locomo_talks() -> dict[str, dict[str, Any]]:
    file = DATA / "locomo" / "locomo10.json"
    talks = json.loads(file.read_text("utf-8"))
    return {each["sample_id"]: each["conversation"] for each in talks}


@cache
def _madial_dialogues(language: str) -> list[dict[str, Any]]:
    file = DATA / "madial" / f"MADial-Bench-{language}-dialogue.json"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


_READERS: dict[str, Callable[..., PublicTurn]] = {
    "beam": _beam,
    "locomo": _locomo,
    "madial": _madial,
}
