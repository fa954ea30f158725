"""Two users and ids that one of them chose: nothing of the other is seen, changed or told.

The verbs are found by introspection. A new verb that takes an id is called without being named
here; a required argument that nobody knows a value for fails the test.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from erstwhile import Decision, DecisionRequest
from erstwhile.core.errors import ErstwhileError, NotFoundError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged, told, unchanged
from tests.contracts.storage.probing import UNKNOWN
from tests.surface import COLLECTIONS

IDS = {"id", "ids", "subject", "through", "conversation", "keep", "message", "exclude"}
"""The names of parameters that take an id of ours."""
CALL = DecisionRequest(goal="g", tool="t", input={"x": 1})
VALUES: dict[str, Any] = {
    "text": "x", "new_text": "x", "query": "x", "reason": "x", "ending": "wrong",
    "verdict": "useful", "user": "x", "assistant": "x", "until": "in 1 hour",
    "messages": [("user", "x")],
    "by": Decision(goal="g", tool="t", choice="allow"), "token": "t", "worker": "w", "error": "x",
    "summary": "x", "role": "user", "content": "x", "result": "x", "resolution": "x", "score": 1,
    "to": "user",
}  # fmt: skip
"""A value for every other required parameter of such a verb."""


def verbs(memory: Memory) -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Yield every public verb of a memory that takes an id, with the name of that parameter."""
    for holder in ("", *COLLECTIONS):
        kind = getattr(memory, holder) if holder else memory
        for name, verb in inspect.getmembers(kind, callable):
            if name.startswith("_"):
                continue
            for parameter in inspect.signature(verb).parameters.values():
                if parameter.name in IDS and "str" in str(parameter.annotation):
                    yield f"{holder}.{name}({parameter.name})", verb, parameter.name


def call(verb: Callable[..., Any], taking: str, id: str) -> str:
    """Call a verb with an id; return its answer or its error, without the id."""
    named: dict[str, Any] = {}
    given: list[Any] = []
    for parameter in inspect.signature(verb).parameters.values():
        if parameter.name == taking and parameter.kind is parameter.VAR_POSITIONAL:
            given.append(id)
        elif parameter.name == taking:
            named[taking] = id
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD,
        ):  # fmt: skip
            named[parameter.name] = UNKNOWN if parameter.name in IDS else VALUES[parameter.name]
    try:
        result = told(verb(*given, **named))
    except ErstwhileError as error:
        result = repr((type(error), str(error)))
    for known in (id, UNKNOWN):
        result = result.replace(known, "ID").replace(known[:18], "ID")
    return result


def live(memory: Memory) -> list[tuple[str, str]]:
    """Store a record of every kind; return their ids with the kinds, from the audit trail."""
    _fact, other = memory.remember_many(["the treasure", "another treasure"])
    memory.facts.retire(other.id, "wrong")
    memory.blocks.add("notes", "treasure")
    _kept, gone = (
        memory.decisions.record(
            Decision(goal="g", tool="t", input={"x": 1}, choice="deny", key=key)
        )
        for key in ("kept", "gone")
    )
    memory.decisions.delete(gone.id)
    memory.conversations.add("user", "treasure", key="k")
    memory.sessions.set("external")
    memory.tasks.add("dig", due="now")
    memory.tasks.claim_due("worker")
    memory.checkpoints.plan("run", "phase")
    memory.snapshots.create("monday")
    memory.outcomes.add("digging", 1)
    memory.lessons.add("digging", "dig deep")
    memory.observations.add("pattern", "treasure")
    memory.limitations.add("no spade")
    memory.usage.record("gpt-4o", input=1)
    told = {entry.subject: entry.action for entry in memory.audit.list(limit=500)}
    return sorted((action.partition(".")[0], id) for id, action in told.items())


def worth_trying(verb: str, records: list[tuple[str, str]]) -> list[str]:
    """Return the ids of the kind that a verb is about, and a few others."""
    kinds = {"fact", "remember", "retire", "message", "run"}
    return [
        id
        for place, (kind, id) in enumerate(records)
        if verb.startswith(kind) or (kind in kinds and place % 2) or place % 5 == 0
    ]


class ChosenIds(Contract):
    @pytest.fixture
    def ana(self, memory: Memory) -> Memory:
        return memory.scoped(user="ana")

    @pytest.fixture
    def bob(self, memory: Memory) -> Memory:
        return memory.scoped(user="bob")

    def test_no_verb_tells_or_touches_a_record_of_another(
        self, memory: Memory, ana: Memory, bob: Memory
    ) -> None:
        """An id of hers is answered like one that nobody has."""
        hers = live(ana)
        found = list(verbs(bob))
        assert len(found) > 60
        with unchanged(ana):
            for name, verb, taking in found:
                unknown = call(verb, taking, UNKNOWN)
                for id in worth_trying(name, hers):
                    assert call(verb, taking, id) == unknown, name
        assert memory.everything().audit.verify().ok

    def test_a_key_belongs_to_its_scope(self, memory: Memory, ana: Memory, bob: Memory) -> None:
        """Her keys are free for him, whatever becomes of his records."""
        hers = live(ana)
        mine = live(bob)
        assert not set(hers) & set(mine)
        with unchanged(ana):
            for decision in bob.decisions.list():
                bob.decisions.delete(decision.id)
                bob.decisions.erase(decision.id)
            bob.sessions.clear()
            for conversation in bob.conversations.list():
                bob.conversations.erase(conversation.id)
            bob.erase_scope()
        assert memory.everything().audit.verify().ok
        assert ana.decisions.advise(CALL).suggestion == "deny"

    def test_numbers_and_cursors_tell_nothing_about_others(
        self, ana: Memory, bob: Memory, clock: FakeClock
    ) -> None:
        """They are the same, however much she does meanwhile."""
        seen = []
        for busy in (False, True):
            him = bob.scoped(project=f"p{busy}")
            for number in range(3):
                clock.advance(minutes=1)
                him.decisions.record(Decision(goal=str(number), tool="t", choice="deny"))
                if busy:
                    live(ana.scoped(project=str(number)))
            assert (len(paged(him.audit.list)), len(paged(him.decisions.list))) == (3, 3)
            page = him.decisions.list(limit=2)
            assert page.next == page[1].id
            seen.append([entry.number for entry in him.audit.list()])
        assert seen == [[3, 2, 1]] * 2

    def test_an_erased_id_of_another_is_unknown(self, ana: Memory, bob: Memory) -> None:
        fact = ana.remember("x")
        ana.facts.erase(fact.id)
        with pytest.raises(NotFoundError):
            bob.facts.erase(fact.id)
        assert ana.facts.erase(fact.id).ids == (fact.id,)
