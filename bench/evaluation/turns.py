"""Play labelled turns in temporary memories, and judge what became of each proposal and fact.

A turn has the answer of a language model, as models give it: in other words, in English for any
language, with dates counted from relative ones; and over-eager or wrong. Each proposal is labelled,
and each fact that is known before the turn has a fate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import erstwhile
from bench.evaluation.simulated_model import (
    SETS,
    Proposals,
    answering,
    verifying,
)
from erstwhile import Fact, Memory
from erstwhile.core.ports import Prompt
from erstwhile.core.text import folded
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from erstwhile.types import AttemptChange, ChangeType, Ending, Kind, State

TURNS = SETS / "turns.json"
"""Our own set, in 19 languages and two halves."""
LATER_TURNS = SETS / "turns_later.json"
"""A set in 27 languages, written later by somebody who did not know the code."""
FRESH_TURNS = SETS / "turns_fresh.json"
"""Turns in rounds, each written by somebody who had not seen the code."""
PLAIN_TURNS = SETS / "turns_plain.json"
"""Turns of users who tell, change and order something, by somebody who had not read the rules."""
CORRECT = "correct"
"""The label of a proposal that the turn supports. Other labels say why it does not."""
_ALL = 500
"""More facts than a turn leaves."""
_LASTS = "in 90 days"
"""The end of a state that is known: it must not be over before the turn."""


class Fate(StrEnum):
    """What must have become of a known fact after the turn."""

    LIVE = "live"
    RETIRED = "retired"
    WRONG = "wrong"
    """Retired because it was never true."""


class KnownFact(NamedTuple):
    """A fact that is remembered before the turn."""

    text: str
    kind: Kind
    key: str | None
    value: str | None
    after: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTurn:
    """A turn with its past, and the labelled answer of a model."""

    id: str
    half: str
    """"a", "b" for the held-out half, "later", or a round."""
    language: str
    kind: str
    """What the turn is about, such as "move" or "pasted"."""
    said_at: datetime
    before: tuple[tuple[str, str], ...]
    """What the user and the assistant said just before the turn."""
    known: tuple[KnownFact, ...]
    user: str
    tools: tuple[str, ...]
    assistant: str
    answer: Proposals = field(hash=False)

    @property
    def statements(self) -> Iterator[tuple[str, str]]:
        """The label and text of each fact that the model proposes, also in place of known ones."""
        for name in ("add", "supersede"):
            for each in self.answer.get(name, ()):
                yield each["label"], each["text"]

    def successors(self, fact: KnownFact) -> Iterator[str]:
        """Yield the correct statements that take the place of a known fact."""
        for each in self.answer.get("supersede", ()):
            named = any(fact.text.startswith(id.removeprefix("@")) for id in each["ids"])
            if named and each["label"] == CORRECT:
                yield each["text"]


def read_turns(path: Path = TURNS) -> list[SampleTurn]:
    """Return the turns of a file."""
    return [_turn(each) for each in json.loads(path.read_text("utf-8"))]


def _turn(data: Mapping[str, Any]) -> SampleTurn:
    return SampleTurn(
        id=data["id"],
        half=data["half"],
        language=data["language"],
        kind=data["kind"],
        said_at=datetime.fromisoformat(data["said_at"]).replace(hour=12, tzinfo=UTC),
        before=tuple((each["user"], each["assistant"]) for each in data.get("before", ())),
        known=tuple(map(_known, data.get("known", ()))),
        user=data["user"],
        tools=tuple(data.get("tools", ())),
        assistant=data["assistant"],
        answer=data["answer"],
    )


def _known(data: Mapping[str, Any]) -> KnownFact:
    kind, after = Kind(data["kind"]), Fate(data["after"])
    return KnownFact(data["text"], kind, data.get("key"), data.get("value"), after)


Answering: TypeAlias = Callable[[Prompt], dict[str, Any]]
"""A model's answer to a prompt."""


class Aim(StrEnum):
    """What must become of a proposal or of a known fact."""

    STORE = "correct stored"
    KEEP_OUT = "unfounded kept out"
    KEEP = "right facts kept"
    END = "ended as said"


class Judgement(NamedTuple):
    """Whether an aim was reached for one proposal or known fact."""

    aim: Aim
    label: str
    """The label of the proposal, or what must become of the known fact."""
    text: str
    is_right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTurn:
    """A turn that was played: the judgements, and what learning tells of its proposals."""

    turn: SampleTurn
    judgements: tuple[Judgement, ...]
    changes: tuple[AttemptChange, ...]


def play_turn(turn: SampleTurn, verifies: Answering | None = None) -> PlayedTurn:
    """Play one turn after its past: facts that are known for a month, and the exchange before.

    The model answers with the proposals of the turn, and verifies them as recorded or as given.
    """
    clock, llm = FakeClock(turn.said_at - timedelta(days=30)), ScriptedLlm()
    with erstwhile.open(":memory:", llm=llm, clock=clock) as memory:
        user = memory.scoped(user=turn.id)
        ids = [_remembered(user, fact) for fact in turn.known]
        clock.set(turn.said_at)
        for said, answered in turn.before:
            llm.script.append(answering({}))
            user.observe_turn(said, answered, said_at=clock.advance(minutes=1), wait=True)
            llm.script.clear()
        llm.script += [answering(_unlabelled(turn.answer)), verifies or verifying(turn.id)]
        changes = _observed(user, turn, clock.advance(minutes=1))
        believed = [*user.facts.list(limit=_ALL), *user.facts.list(state=State.UPCOMING)]
        known = [user.facts.get(id) for id in ids]
    texts = {folded(fact.text) for fact in believed} | _repeated(changes, believed)
    judgements = (*_of_statements(turn, texts), *_of_known(turn, known, texts, clock.now()))
    return PlayedTurn(turn=turn, judgements=judgements, changes=tuple(changes))


def _remembered(user: Memory, fact: KnownFact) -> str:
    until = _LASTS if fact.kind is Kind.STATE else None
    return user.remember(
        fact.text, kind=fact.kind, key=fact.key, value=fact.value, expires_at=until
    ).id


def _observed(user: Memory, turn: SampleTurn, said_at: datetime) -> list[AttemptChange]:
    seen = user.observe_turn(
        turn.user, turn.assistant, tools=turn.tools, said_at=said_at, wait=True
    )
    return [change for attempt in seen.attempts for change in attempt.changes]


def _unlabelled(answer: Proposals) -> Proposals:
    """Return the answer as a model gives it: without our labels."""

    def bare(item: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in item.items() if name != "label"}

    return {name: [bare(each) for each in items] for name, items in answer.items()}


def _repeated(changes: Iterable[AttemptChange], believed: Iterable[Fact]) -> set[str]:
    """Return the statements that are believed already, in the words of another fact."""
    ids = {fact.id for fact in believed}
    return {
        folded(each.text) for each in changes if each.act is ChangeType.REPEAT and each.fact in ids
    }


def _of_statements(turn: SampleTurn, texts: Container[str]) -> Iterator[Judgement]:
    for label, text in turn.statements:
        is_stored = folded(text) in texts
        if label == CORRECT:
            yield Judgement(Aim.STORE, label, text, is_stored)
        else:
            yield Judgement(Aim.KEEP_OUT, label, text, not is_stored)


def _of_known(
    turn: SampleTurn, known: Sequence[Fact], texts: Container[str], now: datetime
) -> Iterator[Judgement]:
    for wanted, fact in zip(turn.known, known, strict=True):
        is_live = fact.state_at(now) is State.LIVE
        if wanted.after is Fate.LIVE:
            yield Judgement(Aim.KEEP, wanted.after, wanted.text, is_live)
            continue
        is_ended = not is_live and (wanted.after is Fate.RETIRED or fact.ending is Ending.WRONG)
        is_replaced = all(folded(text) in texts for text in turn.successors(wanted))
        yield Judgement(Aim.END, wanted.after, wanted.text, is_ended and is_replaced)
