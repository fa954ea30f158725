"""A clock that jumps: it harms nobody for long, and what it stamped can be repaired."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from erstwhile import Decision, DecisionRequest
from erstwhile.core.errors import ClockError, CorruptError, ErstwhileError, ScopeError
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import START, FakeClock
from tests.contracts.base import Contract

JUMP = timedelta(days=3_650)
PUSH = DecisionRequest(goal="g", tool="Bash", input={"command": "git push"})


def live(memory: Memory) -> dict[str, Any]:
    """Use every collection once."""
    fact = memory.remember("Ana lives in Lisbon", key="home", tags=["t"], entities=["Ana"])
    memory.remember("Ana is tired", kind="state", expires_at="in 2 days")
    memory.facts.replace(fact.id, "Ana lives in Porto")
    block = memory.blocks.add("notes", "one")
    memory.blocks.append("notes", "two")
    decision = memory.decisions.record(
        Decision(goal="g", tool="Bash", input=PUSH.input, choice="deny")
    )
    memory.decisions.set_outcome(decision.id, "fine")
    memory.conversations.add("user", "hello there")
    memory.sessions.set("external")
    task = memory.tasks.add("call Ana", due="in 2 hours").task
    memory.tasks.add("water the plants", due="now")
    claim = memory.tasks.claim_due("worker", lease="10 minutes")
    memory.checkpoints.plan("run", "one", "two")
    memory.snapshots.create("monday")
    memory.outcomes.add("domain", 1)
    memory.lessons.add("domain", "a rule")
    memory.observations.add("pattern", "a title")
    memory.limitations.add("a limit")
    memory.usage.record("gpt-4o", input=1, output=1)
    memory.facts.pin(memory.facts.list()[0].id)
    return {"fact": fact, "block": block, "task": task, "claim": claim}


class JumpingClocks(Contract):
    @pytest.fixture
    def ana(self, memory: Memory) -> Memory:
        return memory.scoped(user="ana")

    @pytest.fixture
    def jumped(self, memory: Memory, ana: Memory, clock: FakeClock) -> dict[str, Any]:
        """Let bob live with a clock that is ten years ahead, after ana; then set it right."""
        made = live(ana)
        clock.advance(minutes=1)
        clock.set(clock.now() + JUMP)
        live(memory.scoped(user="bob"))
        clock.set(START + timedelta(minutes=5))
        return made

    @pytest.mark.usefixtures("jumped")
    def test_a_change_after_the_future_is_refused(self, ana: Memory, memory: Memory) -> None:
        with pytest.raises(ClockError, match="repair_time"):
            ana.remember("x")
        assert memory.everything().audit.verify().ok

    def test_others_read_on_as_if_nothing_had_happened(
        self, ana: Memory, jumped: dict[str, Any]
    ) -> None:
        """Their states do not vanish, and leases do not end."""
        texts = {fact.text for fact in ana.facts.list()}
        assert texts == {"Ana lives in Porto", "Ana is tired"}
        assert ana.tasks.get(jumped["task"].id).status == "pending"
        assert ana.decisions.advise(PUSH).suggestion == "deny"

    @pytest.mark.usefixtures("jumped")
    def test_a_repair_moves_every_time_that_is_to_come(
        self, ana: Memory, memory: Memory, clock: FakeClock
    ) -> None:
        audit = memory.everything().audit
        before = ana.facts.list(state="any")
        seen = audit.repair_time(preview=True)
        assert (seen.entries > 20, seen.at) == (True, None)
        assert audit.repair_time(preview=True) == seen
        done = audit.repair_time()
        assert (done.entries, done.first, done.last) == (seen.entries, seen.first, seen.last)
        assert audit.verify().ok
        assert audit.repair_time().entries == 0
        assert ana.facts.list(state="any") == before
        bob = memory.scoped(user="bob")
        now = clock.now()
        assert {fact.text for fact in bob.facts.list()} == {"Ana lives in Porto", "Ana is tired"}
        for fact in bob.facts.list(state="any"):
            assert fact.recorded_at < now + timedelta(hours=1)
            assert fact.expires_at is None or fact.expires_at < now + timedelta(days=3)
        assert all(entry.at < now + timedelta(hours=1) for entry in audit.list(limit=500))

    @pytest.mark.usefixtures("jumped")
    def test_life_goes_on_after_a_repair(
        self, ana: Memory, memory: Memory, clock: FakeClock
    ) -> None:
        """States can expire in two days, leases end, and nothing of next year is handed out."""
        memory.everything().audit.repair_time()
        ana.remember("Ana is happy", kind="state", expires_at="in 2 days")
        ana.tasks.add("next year", due="in 365 days")
        bob = memory.scoped(user="bob")
        for user in (ana, bob):
            assert user.tasks.claim_due("other") == []
            assert user.decisions.advise(PUSH).suggestion == "deny"
        clock.advance(minutes=20)
        for user in (ana, bob):
            assert [each.task.description for each in user.tasks.claim_due("other")] == [
                "water the plants"
            ]
            user.blocks.append("notes", "three")
            user.facts.replace(user.facts.list(contains="Porto")[0].id, "Ana lives in Faro")
        clock.advance(days=3)
        assert {fact.text for fact in bob.facts.list()} == {"Ana lives in Faro"}
        assert memory.everything().audit.verify().ok

    def test_several_jumps_are_repaired_in_order(
        self, ana: Memory, memory: Memory, clock: FakeClock
    ) -> None:
        facts = [ana.remember("0")]
        for number in range(1, 4):
            clock.set(clock.now() + JUMP)
            facts.append(ana.remember(str(number)))
            clock.advance(hours=3)
            ana.facts.pin(facts[-1].id)
        clock.set(START + timedelta(minutes=1))
        memory.everything().audit.repair_time()
        stored = [ana.facts.get(fact.id) for fact in facts]
        times = [fact.recorded_at for fact in stored]
        assert times == sorted(set(times))
        assert max(fact.known_from for fact in stored) < clock.now() + timedelta(hours=1)
        assert memory.everything().audit.verify().ok

    def test_what_was_set_before_the_jump_stays(
        self, ana: Memory, memory: Memory, clock: FakeClock
    ) -> None:
        """A time that somebody named before is no stamp of the wrong clock."""
        fact = ana.remember("the lease ends", expires_at="2060-01-01")
        clock.set(clock.now() + JUMP)
        ana.facts.pin(fact.id)
        ana.facts.unpin(fact.id)
        clock.set(START + timedelta(minutes=1))
        memory.everything().audit.repair_time()
        assert ana.facts.get(fact.id).expires_at == fact.expires_at
        assert memory.everything().audit.verify().ok

    @pytest.mark.usefixtures("jumped")
    def test_only_an_administrator_repairs_and_never_a_broken_trail(
        self, ana: Memory, memory: Memory, engine: Engine
    ) -> None:
        with pytest.raises(ScopeError, match="everything"):
            ana.audit.repair_time()
        engine.write(
            lambda session: session.run("UPDATE audit SET actor = 'nobody' WHERE seq = 1", {})
        )
        with pytest.raises(CorruptError, match="altered"):
            memory.everything().audit.repair_time()

    def test_a_clock_at_the_end_of_the_calendar_is_refused(
        self, ana: Memory, clock: FakeClock
    ) -> None:
        fact = ana.remember("x")
        clock.set(datetime.max.replace(tzinfo=UTC))
        with pytest.raises(ClockError, match="9999"):
            ana.remember("y")
        with pytest.raises(ClockError, match="9999"):
            ana.facts.pin(fact.id)
        clock.set(START)
        ana.remember("y")

    def test_a_clock_that_was_set_back_a_little_is_no_error(
        self, ana: Memory, clock: FakeClock
    ) -> None:
        first = ana.remember("x")
        clock.advance(minutes=-59)
        assert ana.remember("y").recorded_at > first.recorded_at
        clock.advance(minutes=-2)
        with pytest.raises(ErstwhileError, match="in the future"):
            ana.remember("z")
