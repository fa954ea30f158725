"""Each message is learned at most once; at the end, each that still exists exactly once."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from erstwhile.learning import progress
from erstwhile.learning.progress import LearningLease, PendingTurn
from tests.property.clock import TurnedClock

LEASE = timedelta(minutes=10)
picks = st.integers(0, 30)


class LearningProgress(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = erstwhile.open(":memory:", clock=self.clock, embedder="none")
        self.chats = self.memory.conversations
        self.access = self.memory._access
        self.open: list[str] = []
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
        self.chats.add(role, "x", conversation=self.open[pick % len(self.open)])

    @precondition(lambda self: self.open)
    @rule(pick=picks, count=st.integers(1, 3))
    def undo(self, pick: int, count: int) -> None:
        conversation = self.open[pick % len(self.open)]
        there = len(self.chats.messages(conversation))
        if there:
            self.chats.undo(conversation, min(count, there))

    @precondition(lambda self: self.open)
    @rule(pick=picks)
    def branch(self, pick: int) -> None:
        messages = self.chats.messages(self.open[pick % len(self.open)])
        if messages:
            self.open.append(self.chats.branch(messages[pick % len(messages)].id).id)

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
        one = None if all else self.open[pick % len(self.open)]
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

    def still_there(self) -> set[str]:
        return {
            message.copy_of or message.id
            for conversation in self.open
            for message in self.chats.messages(conversation, limit=1_000)
        }


TestLearningProgress = LearningProgress.TestCase
