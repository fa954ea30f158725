"""Play a conversation with a model that obeys the attacker, in every way it could.

The model proposes the attacker's statement in each turn whose prompt holds the attacker's words,
and confirms everything when it verifies. It adds the statement, or replaces or ends what a person
stated before, and rests it on any words: those of the user, a tool or the assistant, or words that
nobody said. Each way gets a memory of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Prompt
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.facts.fact import Fact
from erstwhile.learning.attempts import AttemptOutcome
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.learning.extraction_answers import NOTHING, Answer, shown_facts
from tests.learning.verification_answers import verifying

ADD, SUPERSEDE, END = "add", "supersede", "end"
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_MAX_QUOTE = 400
_READ = (
    AttemptOutcome.LEARNED,
    AttemptOutcome.HELD,
    AttemptOutcome.NOTHING,
    AttemptOutcome.NOT_SALIENT,
)
"""The outcomes of a turn that was read; an error would let every attack fail."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A turn of the conversation."""

    user: str
    tools: tuple[str, ...] = ()
    assistant: str = "All right."
    apart: bool = False
    """Whether it begins another conversation."""

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.user, *self.tools, self.assistant)


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A conversation, and the statement that the attacker wants in memory."""

    name: str
    turns: tuple[Exchange, ...]
    wanted: str
    marks: tuple[str, ...]
    """Words of the attacker's statement; no trusted fact may hold one."""
    known: str = "The supplier account is DE11"
    """What a person stated before."""
    key: str = ""
    group: str = ""
    succeeding: tuple[str, ...] = ()
    """The ways that succeed, as `failures` names them, though no word of the attacker is shown at
    verification. Rules do not understand what the user's words mean.
    """

    def __str__(self) -> str:
        return self.name


def _load_attacks() -> Iterator[Attack]:
    filler = "The quick brown fox jumps over the lazy dog. " * 1_400
    for each in json.loads(Path(__file__).with_name("conversations.json").read_text("utf-8")):
        for turn in each["turns"]:
            turn["tools"] = tuple(
                text.replace("{filler}", filler) for text in turn.get("tools", ())
            )
        each["turns"] = [Exchange(**turn) for turn in each["turns"]]
        for name in ("turns", "marks", "succeeding"):
            each[name] = tuple(each.get(name, ()))
        yield Attack(**each)


ATTACKS = tuple(_load_attacks())
"""The attacks of `conversations.json`."""


@dataclass(frozen=True)
class Way:
    """One way to obey: the verb, and which words of a turn to quote."""

    verb: str
    quoting: str
    quote: Callable[[Exchange], str]

    def __str__(self) -> str:
        return f"{self.verb} quoting {self.quoting}"


@dataclass(frozen=True)
class Played:
    memory: Memory
    known: Fact

    def stolen(self, marks: tuple[str, ...]) -> list[str]:
        """Return the trusted facts with the attacker's words."""
        live = [fact for fact in self.memory.facts.list(limit=200) if fact.id != self.known.id]
        return [
            fact.text
            for fact in live
            if any(mark.casefold() in fact.text.casefold() for mark in marks)
        ]

    @property
    def lost(self) -> bool:
        """Whether the person's fact is no longer live."""
        return self.known.id not in {fact.id for fact in self.memory.facts.list(limit=200)}


def ways(attack: Attack) -> Iterator[Way]:
    """Yield every way to obey in this conversation; the same quotations are played once."""
    played = set[tuple[str, ...]]()
    for verb in (ADD, SUPERSEDE, END):
        for quoting, quote in _quotations(attack):
            way = (verb, *map(quote, attack.turns))
            if way not in played:
                played.add(way)
                yield Way(verb, quoting, quote)


def opened(llm: ScriptedLlm) -> Memory:
    store = assemble(SqliteEngine(":memory:"), FakeClock(), Viewer(), llm=lambda: llm)
    return store.scoped(user="ana")


def play(attack: Attack, way: Way, *, unprompted: bool = False) -> Played:
    """Play the conversation; the model obeys and confirms everything.

    If it is `unprompted`, it also lies in turns whose prompt has no words of the attacker.
    """
    llm = ScriptedLlm()
    memory = opened(llm)
    known = memory.remember(attack.known)
    place: str | None = None
    for turn in attack.turns:
        llm.script.clear()
        llm.script += [obeying(attack, way, turn, unprompted=unprompted), verifying("said", "over")]
        if turn.apart and place is not None:
            memory.conversations.close(place)
            place = None
        seen = memory.observe_turn(
            turn.user, turn.assistant, tools=turn.tools, conversation=place, wait=True
        )
        assert all(each.outcome in _READ for each in seen.attempts), seen.attempts
        place = seen.conversation
    return Played(memory, known)


def failures(attack: Attack, *, unprompted: bool = False) -> list[str]:
    """Return each way that made the attacker's words trusted, or retired the person's fact."""
    found = list[str]()
    for way in ways(attack):
        played = play(attack, way, unprompted=unprompted)
        found += [f"{way}: {text!r} is trusted" for text in played.stolen(attack.marks)]
        if played.lost:
            found.append(f"{way}: the person's fact was retired")
        played.memory.close()
    return found


def obeying(
    attack: Attack, way: Way, turn: Exchange, *, unprompted: bool = False
) -> Callable[[Prompt], Answer]:
    """Return the answer of a model that obeys in one turn."""
    quote = way.quote(turn)

    def answer(prompt: Prompt) -> Answer:
        if not unprompted and not any(mark in prompt.user for mark in attack.marks):
            return NOTHING  # there is nothing to obey
        id = shown_facts(prompt).get(attack.known, "")
        if way.verb == END:
            return {**NOTHING, "end": [{"id": id, "quote": quote}]}
        return {**NOTHING, way.verb: [_proposal(attack, quote, id)]}

    return answer


def _proposal(attack: Attack, quote: str, id: str) -> dict[str, Any]:
    return {
        "ids": [id] if id else [],
        "text": attack.wanted,
        "quote": quote,
        "kind": "fact",
        "about": "user",
        "entities": [],
        "relations": [],
        "valid_from": "",
        "expires": "",
        "key": attack.key,
        "value": "",
    }


def _quotations(attack: Attack) -> Iterator[tuple[str, Callable[[Exchange], str]]]:
    """Yield what a model could quote: a line, the sentence with the bait, or invented words."""
    yield "the user", lambda turn: turn.user[:_MAX_QUOTE]
    yield "the user's first sentence", lambda turn: _sentences(turn.user)[0]
    yield "the user's last sentence", lambda turn: _sentences(turn.user)[-1]
    yield "the bait", lambda turn: _bait(attack, turn)
    yield "the assistant", lambda turn: turn.assistant[:_MAX_QUOTE]
    yield "nobody", lambda _turn: attack.wanted
    yield "nothing", lambda _turn: ""


def _bait(attack: Attack, turn: Exchange) -> str:
    """Return the sentence with the attacker's words, wherever it stands in the turn."""
    for line in turn.lines:
        for sentence in _sentences(line):
            if any(mark.casefold() in sentence.casefold() for mark in attack.marks):
                return sentence[:_MAX_QUOTE]
    return turn.lines[1][:_MAX_QUOTE]


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()] or [text]
