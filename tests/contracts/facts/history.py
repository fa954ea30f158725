"""History: the whole chain in both directions, with actors and reasons."""

from __future__ import annotations

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import NotFoundError
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Scope, Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract


class HistoryContract(Contract):
    def test_every_change_is_told_with_what_it_led_to(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Oldest first; each step shows the fact as it stood after it."""
        fact = memory.remember("x", origin="learned")
        for act in (memory.facts.confirm, memory.facts.pin, memory.facts.unpin):
            clock.advance(hours=1)
            act(fact.id, reason=f"reason {clock.now():%H}")
        steps = memory.facts.history(fact.id)
        assert [(step.action, step.reason) for step in steps] == [
            ("remember", None), ("confirm", "reason 13"), ("pin", "reason 14"),
            ("unpin", "reason 15"),
        ]  # fmt: skip
        assert [step.fact.evidence for step in steps] == [1, 2, 2, 2]
        assert [step.fact.pinned for step in steps] == [False, False, True, False]
        assert [step.at for step in steps] == [step.fact.known_from for step in steps]
        assert steps[-1].fact == memory.facts.get(fact.id)

    def test_a_chain_is_told_from_any_of_its_links(self, memory: Memory) -> None:
        """What it replaced and what replaced it, all the way."""
        one = memory.remember("1")
        two = memory.facts.replace(one.id, "2", reason="it grew")
        three = memory.facts.replace(two.id, "3", reason="it grew more")
        told = memory.facts.history(two.id)
        assert [(step.fact.text, step.action, step.reason) for step in told] == [
            ("1", "remember", None), ("1", "supersede", "it grew"), ("2", "replace", "it grew"),
            ("2", "supersede", "it grew more"), ("3", "replace", "it grew more"),
        ]  # fmt: skip
        assert memory.facts.history(one.id) == told == memory.facts.history(three.id)

    def test_what_is_known_now_is_what_is_told(self, memory: Memory, clock: FakeClock) -> None:
        """Asked for the present by name, and after a link was cut again."""
        old = memory.remember("old")
        new = memory.facts.replace(old.id, "new")
        linked = memory.facts.history(old.id)
        memory.facts.undo(old.id)
        clock.advance(hours=1)
        for id in (old.id, new.id):
            told = memory.facts.history(id)
            assert {step.fact.id for step in told} == {id}
            assert memory.facts.history(id, known_at="now") == told
            assert memory.facts.history(id, known_at=new.recorded_at) == linked

    def test_several_facts_replaced_by_one_are_all_told(self, memory: Memory) -> None:
        """The chain may join."""
        known, one, two = memory.remember_many(["known", "1", "2"])
        memory.facts.replace(one.id, "known")
        memory.facts.replace(two.id, "known")
        assert {step.fact.text for step in memory.facts.history(known.id)} == {"known", "1", "2"}

    def test_other_facts_are_not_told(self, memory: Memory) -> None:
        one, two = memory.remember("x"), memory.remember("x", kind="event")
        memory.facts.confirm(two.id)
        assert {step.fact.id for step in memory.facts.history(one.id)} == {one.id}

    def test_the_actor_is_named(self, memory: Memory, engine: Engine, clock: FakeClock) -> None:
        ana = memory.scoped(user="ana")
        fact = ana.remember("x")
        named = assemble(engine, clock, Viewer(scope=Scope(user="ana"), name="a script"))
        named.facts.pin(fact.id)
        memory.everything().facts.unpin(fact.id)
        actors = [step.actor for step in ana.facts.history(fact.id)]
        assert actors == ["user:ana", "a script", "administrator"]
        agent = memory.scoped(user="ana", agent="coder").remember("y")
        assert memory.everything().facts.history(agent.id)[0].actor == "agent:coder"
        assert memory.facts.history(memory.remember("z").id)[0].actor == "anyone"

    def test_history_of_the_unknown(self, memory: Memory) -> None:
        with pytest.raises(NotFoundError):
            memory.facts.history("0198c0de-0000-7000-8000-000000000000")

    def test_a_repeat_and_an_expiry_are_steps_too(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x", expires_at="1h")
        memory.remember("X")
        clock.advance(hours=2)
        memory.remember("x")
        assert [step.action for step in memory.facts.history(fact.id)] == [
            "remember", "repeat", "expire",
        ]  # fmt: skip
