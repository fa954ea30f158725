"""Each message is learned once, in any order of turns, undos, branches and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning import progress
from erstwhile.learning.attempts import AttemptOutcome
from erstwhile.learning.progress import LearningLease, PendingTurn
from erstwhile.testing.clock import FakeClock
from tests.learning.answering_llm import AnsweringLlm
from tests.property.places import TurnedClock

picks = st.integers(0, 30)


class MoodyLlm(AnsweringLlm):
    """A model that fails as often as it was told to, and then answers."""

    def __init__(self) -> None:
        super().__init__()
        self.moods: list[str] = []

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        mood = self.moods.pop() if self.moods else "fine"
        if mood == "down":
            raise LlmError("it is down", retry_after=60)
        if mood == "babbling":
            return Completion(text="I do not know")
        return super().complete(prompt, cancelled)


class Conversing(RuleBasedStateMachine):
    """Conversations in which messages are undone, and which are branched."""

    memory: erstwhile.Memory

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def chosen(self, pick: int) -> str:
        return self.open[pick % len(self.open)]

    @precondition(lambda self: self.open)
    @rule(pick=picks, count=st.integers(1, 3))
    def undo(self, pick: int, count: int) -> None:
        if there := self.memory.conversations.get(self.chosen(pick)).messages:
            self.memory.conversations.undo(self.chosen(pick), min(count, there))

    @precondition(lambda self: self.open)
    @rule(pick=picks, where=picks)
    def branch(self, pick: int, where: int) -> None:
        messages = self.memory.conversations.messages(self.chosen(pick), limit=500)
        if messages:
            at = messages[where % len(messages)]
            self.open.append(self.memory.conversations.branch(at.id).id)

    def still_there(self) -> set[str]:
        return {
            message.copy_of or message.id
            for conversation in self.open
            for message in self.memory.conversations.messages(conversation, limit=1_000)
        }


class Learning(Conversing):
    def __init__(self) -> None:
        super().__init__()
        self.clock, self.llm = FakeClock(), MoodyLlm()
        self.store = erstwhile.open(":memory:", clock=self.clock, llm=self.llm, embedder="none")
        # Without the thread: only the rules below say when something is learned.
        alone = replace(self.store._services, learning_pool=None)
        self.memory = erstwhile.Memory(self.store._access, alone).scoped(user="ana")
        self.said = 0

    def teardown(self) -> None:
        self.drain()
        self.check_that_nothing_is_left()
        self.store.close()

    def learned_from(self) -> Counter[str]:
        """Return how often each message was learned from or given up."""
        attempts = self.memory.learning.attempts(limit=1_000)
        done = [each for each in attempts if each.outcome is not AttemptOutcome.FAILED]
        return Counter(message for attempt in done for message in attempt.messages)

    def drain(self) -> None:
        self.llm.moods.clear()
        for _ in range(2):
            self.clock.advance(days=1)
            self.memory.learn()

    def check_that_nothing_is_left(self) -> None:
        assert self.learned_from().keys() >= self.still_there()
        self.nothing_is_learned_from_twice()
        assert self.memory.learning.pending() == []
        assert self.memory.learn() == []

    @rule(new=st.booleans(), pick=picks, wait=st.booleans())
    def say(self, new: bool, pick: int, wait: bool) -> None:
        self.said += 1
        place = self.chosen(pick) if self.open and not new else None
        fresh = None if place else f"channel {self.said}"
        seen = self.memory.observe_turn(
            f"I own a thing{self.said}.", "Fine.", conversation=place, channel=fresh, wait=wait
        )
        if place is None:
            self.open.append(seen.conversation)

    @rule(pick=picks, add=st.sampled_from(["user", "assistant", "tool", "system"]))
    @precondition(lambda self: self.open)
    def add(self, pick: int, add: str) -> None:
        self.said += 1
        text, place = f"I own a thing{self.said}.", self.chosen(pick)
        self.memory.conversations.add(add, text, conversation=place)

    @rule(moods=st.lists(st.sampled_from(["fine", "down", "babbling"]), max_size=8))
    def learn(self, moods: list[str]) -> None:
        self.llm.moods = list(moods)
        self.memory.learn()

    @rule(minutes=st.sampled_from([1, 10, 200]))
    def wait(self, minutes: int) -> None:
        self.clock.advance(minutes=minutes)

    @invariant()
    def nothing_is_learned_from_twice(self) -> None:
        assert all(count == 1 for count in self.learned_from().values())
        assert all(fact.evidence == 1 for fact in self.memory.facts.list(limit=500))


TestLearning = Learning.TestCase


LEASE = timedelta(minutes=10)


class LearningProgress(Conversing):
    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = erstwhile.open(":memory:", clock=self.clock, embedder="none")
        self.chats = self.memory.conversations
        self.access = self.memory._access
        self.deleted: list[str] = []
        self.begun: list[tuple[LearningLease, PendingTurn | None]] = []
        self.learned: Counter[str] = Counter()

    def teardown(self) -> None:
        try:
            self.drain()
            assert self.learned.keys() >= self.still_there()
            assert set(self.learned.values()) <= {1}
            assert self.memory.audit.verify().problems == ()
        finally:
            self.memory.close()

    @rule(pick=picks, role=st.sampled_from(["user", "user", "assistant", "tool"]))
    def say(self, pick: int, role: str) -> None:
        if not self.open or pick % 5 == 0:
            self.open.append(self.chats.start(f"{len(self.open) + len(self.deleted)}").id)
        self.chats.add(role, "x", conversation=self.chosen(pick))

    @precondition(lambda self: self.open)
    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        self.deleted.append(self.open.pop(pick % len(self.open)))
        self.chats.delete(self.deleted[-1])

    @precondition(lambda self: self.deleted)
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        self.open.append(self.deleted.pop(pick % len(self.deleted)))
        self.chats.restore(self.open[-1])

    @precondition(lambda self: self.open)
    @rule(pick=picks, all=st.booleans())
    def want(self, pick: int, all: bool) -> None:
        one = None if all else self.chosen(pick)
        self.access.change(lambda unit: progress.want_all(unit, one))

    @rule()
    def claim(self) -> None:
        """Take all free leases; some are never given back."""
        for each in self.access.ask(progress.waiting):
            learner = self.take(each.conversation)
            assert learner is not None
            self.look(learner)

    @precondition(lambda self: self.begun)
    @rule(pick=picks)
    def finish(self, pick: int) -> None:
        """Finish a turn with the view of an earlier moment, or fail because the lease was lost."""
        learner, turn = self.begun.pop(pick % len(self.begun))
        try:
            kept = self.access.change(lambda unit: progress.finish(unit, learner, turn))
        except erstwhile.ConflictError:
            return
        if turn is not None:
            self.learned.update(turn.ids)
            self.look(kept)

    @precondition(lambda self: self.begun)
    @rule(pick=picks, minutes=st.integers(0, 20), counted=st.booleans())
    def fail(self, pick: int, minutes: int, counted: bool) -> None:
        learner, _ = self.begun.pop(pick % len(self.begun))
        later = self.clock.now() + timedelta(minutes=minutes)
        try:
            self.access.change(lambda unit: progress.fail(unit, learner, later, counted=counted))
        except erstwhile.ConflictError:
            return

    @rule(minutes=st.sampled_from([-5, 1, 11, 60]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(timedelta(minutes=minutes))

    @invariant()
    def nothing_is_learned_twice(self) -> None:
        assert set(self.learned.values()) <= {1}

    def take(self, conversation: str) -> LearningLease | None:
        return self.access.change(lambda unit: progress.claim(unit, conversation, "w", LEASE))

    def look(self, learner: LearningLease) -> None:
        turn = self.access.ask(lambda view: progress.next_turn(view, learner))
        if turn is not None:
            assert all(message.role != "user" for message in turn.messages[1:])
            assert learner.learned < turn.first <= turn.last <= learner.wanted
        self.begun.append((learner, turn))

    def drain(self) -> None:
        """Learn from the rest after all leases have expired."""
        while self.deleted:
            self.restore(0)
        self.access.change(progress.want_all)
        while self.access.ask(progress.pending):
            self.clock.turn(timedelta(hours=2))
            self.claim()
            while self.begun:
                self.finish(len(self.begun) - 1)


TestLearningProgress = LearningProgress.TestCase
