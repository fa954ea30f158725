"""Play turns and stories of change with the recorded answers of a capable language model.

The model read the real prompts: first what to remember, then, for each proposal, whether the user
said it. Turns of public conversations are named by their place; their texts, and the quotations in
the answers, are read from the data beside the checkout. Somebody who saw only the turns and the
notes judged which notes are true, and which stories ended as they should.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import erstwhile
from bench.evaluation.public_turns import PlayedExchange, PublicTurn, is_available, public_turn
from bench.evaluation.simulated_model import SETS, Proposals, answering, verifying_notes
from erstwhile import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm

RECORDED = SETS / "recorded_answers.json"
_NOTHING: Proposals = {"add": [], "supersede": [], "end": []}
_ALL = 500
"""More facts than a story leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """A turn, and the two answers of the model."""

    turn: PublicTurn
    proposals: Proposals
    notes: Sequence[Mapping[str, str]]
    """The notes of verification with their answers; none if it was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStory:
    """One turn, or two turns of which the second one changes something."""

    id: str
    turns: tuple[RecordedTurn, ...]
    live: frozenset[str]
    """The facts that are live or upcoming at the end."""
    untrue: frozenset[str]
    """The notes among all proposals that the turns do not support."""
    right: bool | None
    """Whether a story of two turns ended as it should; None for a single turn."""
    is_own: bool
    """Whether it was written for this set, and needs no public data."""

    @property
    def notes(self) -> set[str]:
        """The statements that the model proposed."""
        lists = (turn.proposals[name] for turn in self.turns for name in ("add", "supersede"))
        return {each["text"] for items in lists for each in items}


def recorded_stories() -> list[RecordedStory]:
    """Return the recorded stories; those of public conversations only if their data are there."""
    written = json.loads(RECORDED.read_text("utf-8"))
    return [_story(each) for each in written if is_available() or not _needs_data(each)]


def play_story(story: RecordedStory) -> frozenset[str]:
    """Play a story in a memory of its own; return the facts that are live or upcoming."""
    first = story.turns[0].turn.said_at
    clock, llm = FakeClock(first - timedelta(days=1)), ScriptedLlm()
    with erstwhile.open(":memory:", llm=llm, clock=clock, learners=0) as memory:
        user = memory.scoped(user=story.id)
        for number, recorded in enumerate(story.turns):
            _observe(user, llm, clock, recorded, f"{story.id}-{number}")
        lists = (user.facts.list(limit=_ALL, state=state) for state in ("live", "upcoming"))
        return frozenset(fact.text for facts in lists for fact in facts)


def _observe(
    user: Memory, llm: ScriptedLlm, clock: FakeClock, recorded: RecordedTurn, channel: str
) -> None:
    """Learn from a turn after the exchange before it."""
    turn = recorded.turn
    clock.set(max(turn.said_at, clock.now() + timedelta(minutes=5)))
    place: dict[str, str] = {"channel": channel}
    for said, proposals in ((turn.before, _NOTHING), (turn.said, recorded.proposals)):
        if said is None:
            continue
        llm.script.clear()
        llm.script += [answering(proposals), verifying_notes(recorded.notes)]
        seen = user.observe_turn(
            said.user or "Hello.",
            said.assistant or None,
            tools=said.tools,
            said_at=clock.advance(seconds=1),
            wait=True,
            conversation=place.get("conversation"),
            channel=place.get("channel"),
        )
        place = {"conversation": seen.conversation}


def _needs_data(written: Mapping[str, Any]) -> bool:
    return any("place" in turn for turn in written["turns"])


def _story(written: Mapping[str, Any]) -> RecordedStory:
    return RecordedStory(
        id=written["id"],
        turns=tuple(map(_turn, written["turns"])),
        live=frozenset(written["live"]),
        untrue=frozenset(written["untrue"]),
        right=written.get("right"),
        is_own=not _needs_data(written),
    )


def _turn(written: Mapping[str, Any]) -> RecordedTurn:
    turn = public_turn(written["place"]) if "place" in written else _own_turn(written)
    proposals = {
        name: [{**each, "quote": _quote(turn, each["quote"])} for each in items]
        for name, items in written["proposals"].items()
    }
    return RecordedTurn(turn=turn, proposals=proposals, notes=written["notes"])


def _own_turn(written: Mapping[str, Any]) -> PublicTurn:
    day = datetime.fromisoformat(written["said_at"]).replace(hour=12, tzinfo=UTC)
    before = written.get("before")
    return PublicTurn(
        said_at=day,
        said=_exchange(written),
        before=None if before is None else _exchange(before),
    )


def _exchange(written: Mapping[str, Any]) -> PlayedExchange:
    tools = tuple(written.get("tools", ()))
    return PlayedExchange(user=written["user"], assistant=written["assistant"], tools=tools)


def _quote(turn: PublicTurn, written: str | Sequence[int]) -> str:
    """Return a quotation; one of public data is written as its place in the user's message."""
    if isinstance(written, str):
        return written
    start, end = written
    return turn.said.user[start:end]


def figures(played: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the number and the total of each figure; `played` is what became live."""
    stories = [story for story in recorded_stories() if story.id in played]
    single = [story for story in stories if story.right is None]
    true = [(each, note) for each in single for note in each.notes - each.untrue]
    untrue = [(each, note) for each in single for note in each.untrue]
    told = [story for story in stories if story.right is not None]
    yield "true notes stored", sum(note in played[each.id] for each, note in true), len(true)
    yield "false notes stored", sum(note in played[each.id] for each, note in untrue), len(untrue)
    right = sum(bool(each.right) and played[each.id] == each.live for each in told)
    yield "stories right", right, len(told)
