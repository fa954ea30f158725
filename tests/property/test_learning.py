"""Each message is learned once, in any order of turns, undos, branches and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning.attempts import AttemptOutcome
from erstwhile.testing.clock import FakeClock
from tests.learning.answering_llm import AnsweringLlm

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


class Learning(RuleBasedStateMachine):
    """A user with several conversations, and learning from time to time."""

    def __init__(self) -> None:
        super().__init__()
        self.clock, self.llm = FakeClock(), MoodyLlm()
        self.store = erstwhile.open(":memory:", clock=self.clock, llm=self.llm, embedder="none")
        # Without the thread: only the rules below say when something is learned.
        alone = replace(self.store._services, learning_pool=None)
        self.memory = erstwhile.Memory(self.store._access, alone).scoped(user="ana")
        self.said = 0
        self.conversations: list[str] = []

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
        done = self.learned_from()
        for conversation in self.conversations:
            for message in self.memory.conversations.messages(conversation, limit=500):
                assert done[message.copy_of or message.id] == 1
        assert self.memory.learning.pending() == []
        assert self.memory.learn() == []

    @rule(new=st.booleans(), pick=picks, wait=st.booleans())
    def say(self, new: bool, pick: int, wait: bool) -> None:
        self.said += 1
        known = self.conversations
        place = known[pick % len(known)] if known and not new else None
        fresh = None if place else f"channel {self.said}"
        seen = self.memory.observe_turn(
            f"I own a thing{self.said}.", "Fine.", conversation=place, channel=fresh, wait=wait
        )
        if place is None:
            known.append(seen.conversation)

    @rule(pick=picks, add=st.sampled_from(["user", "assistant", "tool", "system"]))
    @precondition(lambda self: self.conversations)
    def add(self, pick: int, add: str) -> None:
        self.said += 1
        place = self.conversations[pick % len(self.conversations)]
        self.memory.conversations.add(add, f"I own a thing{self.said}.", conversation=place)

    @rule(pick=picks, count=st.integers(1, 3))
    @precondition(lambda self: self.conversations)
    def undo(self, pick: int, count: int) -> None:
        place = self.conversations[pick % len(self.conversations)]
        if self.memory.conversations.get(place).messages >= count:
            self.memory.conversations.undo(place, count)

    @rule(pick=picks, where=picks)
    @precondition(lambda self: self.conversations)
    def branch(self, pick: int, where: int) -> None:
        place = self.conversations[pick % len(self.conversations)]
        messages = self.memory.conversations.messages(place, limit=500)
        if messages:
            at = messages[where % len(messages)]
            self.conversations.append(self.memory.conversations.branch(at.id).id)

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
