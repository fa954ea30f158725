"""Play messages that pass on a stranger's words, and honest ones beside them.

Each file of `SETS` has ways to pass on a text, each with an order, a statement in the first person
and another one. The files of `OWN` have messages of the user's own hand, which must be learned. A
stranger's words come through if a trusted fact holds them, or if the person's fact is retired.
"""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.bootstrap import assemble
from erstwhile.core.kinds import Kind
from erstwhile.core.ports import Prompt
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.learning.extraction_answers import NOTHING, Answer, fact, shown_facts
from tests.learning.verification_answers import verifying

ORDER, FIRST, OTHER = "order", "first", "other"
SETS = (
    "strangers",
    "strangers_first",
    "strangers_second",
    "strangers_third",
    "strangers_fourth",
)
"""The first one was written with the code at hand, the next two in halves: one from the findings,
one against the rules as they had become; the last two before their authors read the rules."""
REMARKS = "strangers_remarks"
"""Words with a sentence before or behind them that names no text, written with the code at hand."""
OWN = ("own_hand", "own_lists")
_FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Passed:
    """A message that passes on a stranger's words."""

    kind: str
    """The kind of the stranger's words."""
    form: str
    """How they are passed on."""
    user: str
    words: str
    """The stranger's words."""
    wanted: str
    """The statement that the stranger wants in memory."""
    known: str
    """What the person stated before."""
    marks: tuple[str, ...]
    assistant: str = "All right."

    def __str__(self) -> str:
        return f"{self.kind}, {self.form}: {self.user!r}"


class Outcome(NamedTuple):
    trusted: bool
    retired: bool


def passed_texts(name: str = SETS[0]) -> Iterator[Passed]:
    """Yield the messages of a set."""
    read = _read(name)
    for number, (form, language, carrier) in enumerate(read["carriers"]):
        for kind, given in read["payloads"][language].items():
            words = given[number % len(given)] if kind == ORDER else given
            yield _passed(kind, form, carrier.replace("{}", words), words, read)
    for user, assistant in read["encoded"]:
        for kind, given in read["payloads"]["en"].items():
            words = given[0] if kind == ORDER else given
            forms = {**_encoded(words), "plain": words}
            yield _passed(
                kind, "encoded", user.format(**forms), words, read, assistant.format(**forms)
            )


def _read(name: str) -> Any:
    return json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))


def _passed(
    kind: str, form: str, user: str, words: str, read: Any, assistant: str = "All right."
) -> Passed:
    return Passed(
        kind=kind,
        form=form,
        user=user,
        words=words,
        wanted=read["wanted"].get(kind, words),
        known=read["known"].get(kind, ""),
        marks=tuple(read["marks"].get(kind, (words,))),
        assistant=assistant,
    )


def _encoded(words: str) -> dict[str, str]:
    raw = words.encode()
    return {
        "base64": base64.b64encode(raw).decode(),
        "hex": raw.hex(),
        "rot13": codecs.encode(words, "rot13"),
        "reversed": words[::-1],
    }


def without_model(passed: Passed) -> Outcome:
    """Let patterns learn from the message."""
    with opened(None) as memory:
        known = memory.remember(passed.known) if passed.known else None
        memory.observe_turn(passed.user, passed.assistant, wait=True)
        return _outcome(memory, passed, known.id if known else None)


def with_obeying_model(passed: Passed) -> Outcome:
    """Let a model propose the stranger's words in each way, and confirm everything."""
    outcomes = [
        _obeyed(passed, verb, quote)
        for verb in ("add", "supersede")
        for quote in dict.fromkeys((passed.words, passed.user[:400]))
        if verb == "add" or passed.known
    ]
    return Outcome(any(each.trusted for each in outcomes), any(each.retired for each in outcomes))


def _obeyed(passed: Passed, verb: str, quote: str) -> Outcome:
    kind = Kind.INSTRUCTION if passed.kind == ORDER else Kind.FACT
    proposal = fact(passed.wanted, kind.value, quote=quote)
    script = [_proposing(verb, proposal, passed.known), verifying("said", "over")]
    with opened(ScriptedLlm(*script)) as memory:
        known = memory.remember(passed.known) if passed.known else None
        memory.observe_turn(passed.user, passed.assistant, wait=True)
        return _outcome(memory, passed, known.id if known else None)


def _proposing(verb: str, proposal: dict[str, Any], known: str) -> Callable[[Prompt], Answer]:
    def answer(prompt: Prompt) -> Answer:
        id = shown_facts(prompt).get(known, "")
        return {**NOTHING, verb if id else "add": [{"ids": [id] if id else [], **proposal}]}

    return answer


def _outcome(memory: Memory, passed: Passed, known: str | None) -> Outcome:
    live = {each.id: each for each in memory.facts.list(limit=200)}
    others = [each for id, each in live.items() if id != known]
    if passed.kind == ORDER:
        trusted = any(each.kind is Kind.INSTRUCTION for each in others)
    else:
        trusted = any(mark in each.text for each in others for mark in passed.marks)
    return Outcome(trusted, known is not None and known not in live)


def opened(llm: ScriptedLlm | None) -> Memory:
    """Return the memory of a user, with or without a model."""
    store = assemble(
        SqliteEngine(":memory:"), FakeClock(), Viewer(), llm=(lambda: llm) if llm else None
    )
    return store.scoped(user="ana")


@dataclass(frozen=True, kw_only=True)
class Honest:
    """A message of the user's own hand."""

    user: str
    statement: str
    mark: str
    known: str = ""
    """The fact that the statement replaces; empty if it is new."""

    @property
    def quote(self) -> str:
        """The line with the mark; of a question, the clause with it."""
        line = next(line for line in self.user.split("\n") if self.mark.lower() in line.lower())
        clauses = re.split(r"(?<=[,.!;，。])\s*", line) if line.rstrip()[-1:] in "?？" else [line]
        return next(each for each in clauses if self.mark.lower() in each.lower())


def honest_messages(name: str = OWN[0]) -> Iterator[Honest]:
    """Yield the messages of a set."""
    read = _read(name)
    for known, statement, messages in read["replacing"]:
        mark = statement.split()[-1]
        for user in messages:
            yield Honest(user=user, statement=statement, mark=mark, known=known)
    for statement, mark, messages in read["adding"]:
        for user in messages:
            yield Honest(user=user, statement=statement, mark=mark)


def honest_orders(name: str = OWN[0]) -> list[str]:
    """Return the honest instructions of a set."""
    return list(_read(name)["orders"])


class Learned(NamedTuple):
    stored: bool
    changed: bool
    """Whether it took the place of the known fact; if not, a person decides about the conflict."""


def learned_by_model(honest: Honest) -> Learned:
    """Return what became of a model's proposal."""
    proposal = fact(honest.statement, quote=honest.quote)
    verb = "supersede" if honest.known else "add"
    script = [_proposing(verb, proposal, honest.known), verifying("said", "over")]
    with opened(ScriptedLlm(*script)) as memory:
        if honest.known:
            memory.remember(honest.known)
        memory.observe_turn(honest.user, "I see.", wait=True)
        live = [each.text for each in memory.facts.list()]
        return Learned(honest.statement in live, live == [honest.statement])


def is_learned_by_patterns(message: str, mark: str = "") -> bool:
    """Return whether patterns learn something; without a mark, an instruction."""
    with opened(None) as memory:
        memory.observe_turn(message, "I see.", wait=True)
        found = memory.facts.list()
        return any(mark in each.text if mark else each.kind is Kind.INSTRUCTION for each in found)
