"""Learning from old conversations: the time of the message counts, not the time of learning."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from erstwhile.core.ports import Engine
from erstwhile.learning.attempts import Attempt
from erstwhile.learning.candidate import ChangeType
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import learning_memory


class LearningOldTalkContract(Contract):
    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock) -> Memory:
        return learning_memory(engine, clock, None).scoped(user="ana")

    @pytest.fixture
    def long_ago(self, clock: FakeClock) -> datetime:
        return clock.now() - timedelta(days=700)

    @pytest.mark.parametrize(
        "said",
        ["I live in Oslo.", "I moved to Oslo.", "We switched from pnpm to npm."],
    )
    def test_what_was_said_before_retires_nothing(
        self, ana: Memory, long_ago: datetime, said: str
    ) -> None:
        """In either order of learning."""
        ana.observe_turn("I live in Rome. I like coffee. We use pnpm.", "Fine.", wait=True)
        before = texts(ana.facts.list())
        [attempt] = _learned(ana, said, long_ago)
        assert texts(ana.facts.list()) == before
        assert [change.act for change in attempt.changes] == [ChangeType.REFUSE]

    def test_what_was_remembered_since_stays(self, ana: Memory, long_ago: datetime) -> None:
        ana.remember("The user lives in Rome", key="home", kind="profile")
        _learned(ana, "I live in Oslo.", long_ago)
        assert texts(ana.facts.list()) == ["The user lives in Rome"]

    def test_late_learning_uses_message_times(self, ana: Memory, clock: FakeClock) -> None:
        """Pending turns are learned in their order, even much later."""
        place = ana.observe_turn("I live in Rome. We use npm.", "Fine.").conversation
        for said in ("I moved to Oslo. We switched from npm to pnpm.", "We use npm."):
            clock.advance(minutes=1)
            ana.observe_turn(said, "Fine.", conversation=place)
        clock.advance(days=1)
        ana.learn()
        assert set(texts(ana.facts.list())) == {
            "The user lives in Oslo", "The team uses pnpm", "The team uses npm",
        }  # fmt: skip

    def test_conversations_may_come_in_any_order(self, ana: Memory, long_ago: datetime) -> None:
        later = long_ago + timedelta(days=100)
        _learned(ana, "I live in Oslo.", later)
        _learned(ana, "I live in Rome.", long_ago)
        _learned(ana, "I moved to Kyiv.", later + timedelta(days=100))
        assert texts(ana.facts.list()) == ["The user lives in Kyiv"]
        assert texts(ana.facts.list(state="retired")) == ["The user lives in Oslo"]

    def test_what_has_ended_since_does_not_come_back(self, ana: Memory, long_ago: datetime) -> None:
        ana.observe_turn("We use npm.", "Fine.", wait=True)
        ana.observe_turn("We switched from npm to pnpm.", "Fine.", wait=True)
        [attempt] = _learned(ana, "We use npm.", long_ago)
        assert [change.act for change in attempt.changes] == [ChangeType.REFUSE]
        assert texts(ana.facts.list()) == ["The team uses pnpm"]

    def test_a_wrong_fact_does_not_come_back(self, ana: Memory, long_ago: datetime) -> None:
        wrong = ana.remember("The team uses npm", kind="project")
        ana.facts.retire(wrong.id, ending="wrong")
        _learned(ana, "We use npm.", long_ago)
        assert not ana.facts.list()
        ana.observe_turn("We use npm.", "Fine.", wait=True)
        assert texts(ana.facts.list()) == ["The team uses npm"]


def _learned(memory: Memory, said: str, at: datetime) -> list[Attempt]:
    """Learn from a text in a conversation of its own."""
    memory.conversations.add("user", said, said_at=at, channel=f"of {at:%Y-%m-%d}")
    return memory.learn()
