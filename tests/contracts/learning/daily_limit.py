"""The daily limit: one for a store, for all its users; the turns that it kept from the model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from threading import Barrier

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import LlmError, NotFoundError
from erstwhile.core.policies import DailyLimit
from erstwhile.core.ports import Clock, Completion, Engine, Prompt
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from erstwhile.usage.prices import Price, Prices
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import LISBON, Taught, learning_memory, outcomes
from tests.learning.extraction_answers import NOTHING, adding, fact
from tests.learning.verification_answers import FakeLlm

COST = 1_000
ANSWER = Completion(text='{"add": []}', input=900, output=100)
DOLLAR = Price(input=Decimal(1000), output=Decimal(1000))
"""For a million tokens: an answer costs one."""


def observe(memory: Memory, animal: str = "dog") -> str:
    """Learn from a turn that patterns understand, too; return the method."""
    seen = memory.observe_turn(f"My {animal} is called Rex.", "Nice.", wait=True)
    return seen.attempts[0].method


def priced_memory(engine: Engine, clock: Clock, llm: ScriptedLlm, price: Price | None) -> Memory:
    """Return a memory with a limit of two dollars per day and a known price."""
    prices = Prices({} if price is None else {llm.model: price})
    limit = DailyLimit(dollars=Decimal(2))
    return assemble(
        engine, clock, Viewer(), prices=lambda: prices, llm=lambda: llm, daily_limit=limit
    )


class DailyLimitContract(Contract):
    def test_when_it_is_reached_patterns_go_on(self, engine: Engine, clock: FakeClock) -> None:
        """The limit is for the whole store, and does not count the calls of the agent."""
        llm = ScriptedLlm(*[ANSWER] * 3)
        store = learning_memory(engine, clock, llm, DailyLimit(tokens=2 * COST))
        ana, bob = store.scoped(user="ana"), store.scoped(user="bob")
        ana.usage.record("scripted", input=1_000_000)
        for memory in (ana, bob, ana):
            observe(memory)
        [newest] = ana.learning.attempts(limit=1)
        assert (newest.method, len(llm.prompts)) == ("capped", 2)
        assert "limit of 2,000 tokens" in (newest.reason or "")
        assert texts(ana.facts.list()) == ["The user's dog is called Rex"]
        assert store.learning.status().spent.input == 1_800
        assert ana.learning.status().spent.input == 900
        assert ana.learning.status().reached
        clock.advance(days=1)
        observe(ana, "cat")
        assert len(llm.prompts) == 3

    def test_the_last_call_may_exceed_it(self, engine: Engine, clock: FakeClock) -> None:
        """The cost is known only after the call, so one call may exceed the limit."""
        llm = ScriptedLlm(*[ANSWER] * 2)
        memory = learning_memory(engine, clock, llm, DailyLimit(tokens=COST + 1))
        used = [observe(memory, animal) for animal in ("dog", "cat", "parrot")]
        assert used == ["llm:scripted", "llm:scripted", "capped"]
        status = memory.learning.status()
        assert status.spent.input + status.spent.output == 2 * COST
        assert status.reached == "today's limit of 1,001 tokens is reached"

    def test_it_ends_at_midnight(self, engine: Engine, clock: FakeClock) -> None:
        """At midnight UTC the count begins again."""
        clock.set(datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC))
        llm = ScriptedLlm(*[ANSWER] * 2)
        memory = learning_memory(engine, clock, llm, DailyLimit(tokens=COST))
        assert [observe(memory), observe(memory, "cat")] == ["llm:scripted", "capped"]
        clock.advance(seconds=2)
        assert memory.learning.status().reached == ""
        assert memory.learning.status().spent.calls == 0
        assert observe(memory, "parrot") == "llm:scripted"

    def test_parallel_calls_exceed_it_by_one_each(self, engine: Engine, clock: FakeClock) -> None:
        both = Barrier(2, timeout=60)

        def together(_prompt: Prompt) -> Completion:
            both.wait(60)
            return ANSWER

        llm = ScriptedLlm(*[together] * 2)
        store = learning_memory(engine, clock, llm, DailyLimit(tokens=COST))
        users = [store.scoped(user=name) for name in ("ana", "bob")]
        with ThreadPoolExecutor() as threads:
            assert list(threads.map(observe, users)) == ["llm:scripted"] * 2
        assert [observe(user, "cat") for user in users] == ["capped"] * 2
        assert store.learning.status().spent.calls == 2

    def test_money_is_limited_as_tokens_are(self, engine: Engine, clock: FakeClock) -> None:
        llm = ScriptedLlm(*[ANSWER] * 2)
        memory = priced_memory(engine, clock, llm, DOLLAR)
        used = [observe(memory, animal) for animal in ("dog", "cat", "parrot")]
        assert used == ["llm:scripted", "llm:scripted", "capped"]
        status = memory.learning.status()
        assert (status.spent.cost, status.spent.unpriced) == (Decimal(2), 0)
        assert (status.limit, status.reached) == ("2 usd", "today's limit of 2 usd is reached")

    def test_what_nobody_knows_the_price_of_is_told(self, engine: Engine, clock: FakeClock) -> None:
        """The status counts the calls with an unknown price."""
        stranger = priced_memory(engine, clock, ScriptedLlm(ANSWER), None)
        memory = priced_memory(engine, clock, ScriptedLlm(ANSWER), DOLLAR)
        observe(stranger)
        observe(memory, "cat")
        spent = memory.learning.status().spent
        assert (spent.calls, spent.cost, spent.unpriced) == (2, Decimal(1), 1)


DEAR = Completion(text='{"add": []}', input=1_000)
RADIOS = fact("The user restores old radios", quote="I restore old radios")
SHIPS = fact("The user paints ships", quote="I paint ships")


class MissedTurnsContract(Contract):
    @pytest.fixture
    def llm(self) -> FakeLlm:
        return FakeLlm(DEAR)

    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock, llm: FakeLlm) -> Memory:
        """Return a memory whose limit was reached before two of three turns."""
        ana = learning_memory(engine, clock, llm, DailyLimit(tokens=500)).scoped(user="ana")
        for said in ("I am here.", "I restore old radios.", "I paint ships."):
            ana.observe_turn(said, "Nice.", channel=said, wait=True)
        return ana

    def test_they_are_marked_and_read_later(
        self, ana: Memory, llm: FakeLlm, engine: Engine, clock: FakeClock
    ) -> None:
        """Once the limit allows it, the oldest first; a second call finds none."""
        methods = [each.method for each in ana.learning.attempts()]
        assert methods == ["capped", "capped", "llm:scripted"]
        assert ana.learn() == []
        raised = learning_memory(engine, clock, llm).scoped(user="ana")
        llm.script += [adding(RADIOS), adding(SHIPS)]
        made = raised.learn(missed=True)
        assert [(each.outcome, each.method) for each in made] == [("learned", "llm:scripted")] * 2
        assert set(texts(raised.facts.list())) == {RADIOS["text"], SHIPS["text"]}
        assert raised.learn(missed=True) == []

    def test_one_conversation_can_be_read(
        self, ana: Memory, llm: FakeLlm, clock: FakeClock
    ) -> None:
        newest = ana.learning.attempts()[0]
        clock.advance(days=1)
        llm.script.append(adding(SHIPS))
        [made] = ana.learn(newest.conversation, missed=True)
        assert (made.conversation, made.messages) == (newest.conversation, newest.messages)
        with pytest.raises(NotFoundError):
            ana.learn("0199ffff", missed=True)

    def test_it_stops_at_the_limit(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """The rest is still missed. A turn that was missed again comes last."""
        assert [each.method for each in ana.learn(missed=True)] == ["capped"]
        clock.advance(days=1)
        llm.script.append(DEAR)
        assert [each.method for each in ana.learn(missed=True)] == ["llm:scripted", "capped"]
        clock.advance(days=1)
        llm.script.append(adding(RADIOS))
        assert [each.outcome for each in ana.learn(missed=True)] == ["learned"]
        assert texts(ana.facts.list()) == [RADIOS["text"]]

    @pytest.mark.usefixtures("ana")
    def test_others_see_none_of_them(self, engine: Engine, clock: FakeClock) -> None:
        bob = learning_memory(engine, clock, FakeLlm()).scoped(user="bob")
        assert bob.learn(missed=True) == []


class WaitingTurnsContract(Taught, Contract):
    def test_the_attempt_at_an_earlier_turn_is_returned(self, ana: Memory, llm: FakeLlm) -> None:
        """While the model is down, no attempt is made at the turn that was just observed."""
        llm.script += [LlmError("it is down"), LlmError("it is down")]
        first = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        later = ana.observe_turn("I like tea.", "Fine.", wait=True)
        assert (later.attempts[-1].outcome, later.attempts[-1].messages) == (
            "failed",
            (first.user.id, first.assistant.id),
        )

    def test_earlier_turns_are_tried_at_once(self, ana: Memory, llm: FakeLlm) -> None:
        """A caller that waits does not wait for the time of the next try."""
        llm.script += [LlmError("it is down", retry_after=600), adding(LISBON), NOTHING]
        ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        assert ana.learn() == []
        seen = ana.observe_turn("What is new?", "Not much.", wait=True)
        assert (outcomes(ana), ana.learning.pending()) == (["failed", "learned", "nothing"], [])
        assert [each.outcome for each in seen.attempts] == ["nothing"]
        assert texts(ana.facts.list()) == [LISBON["text"]]
