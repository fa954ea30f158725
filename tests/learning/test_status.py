"""The status of learning after repeated failures of the model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from erstwhile.adapters.llm.retrying import Breaker, RetryingLlm
from erstwhile.bootstrap import assemble
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Row
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.learning.attempts import Attempt, AttemptTable
from erstwhile.storage.view import View
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.learning.extraction_answers import NOTHING

PAUSE = 600.0
"""Longer than a learner waits by itself before it asks again."""


class Failing:
    """A memory with a model that is left alone after two failures, and the time of both."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.llm = ScriptedLlm()
        started = self.clock.now()
        breaker = Breaker(2, PAUSE, now=lambda: (self.clock.now() - started).total_seconds())
        careful = RetryingLlm(self.llm, breaker, tries=1, sleep=lambda _seconds: None)
        engine = SqliteEngine(":memory:")
        self.memory = assemble(engine, self.clock, Viewer(), llm=lambda: careful)


@pytest.fixture
def failing() -> Iterator[Failing]:
    made = Failing()
    with made.memory:
        yield made


def counted_reads(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """Return the list of the attempts that are read from now on."""
    read, to_item = list[Row](), AttemptTable.to_item

    def counted(self: AttemptTable, view: View, row: Row) -> Attempt:
        read.append(row)
        return to_item(self, view, row)

    monkeypatch.setattr(AttemptTable, "to_item", counted)
    return read


def test_it_says_until_when_the_model_is_left_alone(failing: Failing) -> None:
    """The time stays until a question succeeds."""
    memory, llm = failing.memory, failing.llm
    llm.script.append(LlmError("503"))
    memory.observe_turn("I live in Lisbon.", "Fine.", wait=True)
    assert memory.learning.status().left_alone_until is None
    failing.clock.advance(minutes=2)
    llm.script.append(LlmError("503"))
    memory.learn()
    opened = failing.clock.now()
    failing.clock.advance(minutes=2)
    memory.learn()
    status = memory.learning.status()
    assert len(llm.prompts) == 2, "nothing is asked while it is left alone"
    assert status.left_alone_until is not None
    assert (status.left_alone_until - opened).total_seconds() == PAUSE
    assert status.next_try is not None
    assert status.next_try >= status.left_alone_until
    assert "not called for a while" in (status.failing or "")
    failing.clock.advance(seconds=PAUSE)
    assert memory.learning.status().left_alone_until == status.left_alone_until
    llm.script.append(NOTHING)
    assert [attempt.outcome for attempt in memory.learn()] == ["nothing"]
    assert memory.learning.status().left_alone_until is None


def test_it_reads_one_attempt(failing: Failing, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skipped turns after a failure do not hide it, and are not read."""
    memory, llm = failing.memory, failing.llm
    llm.script.append(LlmError("503"))
    memory.observe_turn("I live in Lisbon.", "Fine.", wait=True)
    for number in range(5):
        memory.observe_turn("Thanks!", "Fine.", channel=f"{number}", wait=True)
    read = counted_reads(monkeypatch)
    assert memory.learning.status().failing == "503"
    assert len(read) <= 2, "a page reads one more than its limit"


def test_the_root_sees_the_trouble_of_every_scope(failing: Failing) -> None:
    """A scope sees its own alone."""
    memory, llm = failing.memory, failing.llm
    llm.script.append(LlmError("401", retryable=False))
    memory.scoped(user="ana").observe_turn("I live in Lisbon.", "Fine.", wait=True)
    for root in (memory, memory.everything()):
        status = root.learning.status()
        assert (status.waiting, status.put_off, status.failing) == (0, 1, "401")
        assert status.next_try is not None
    bob = memory.scoped(user="bob").learning.status()
    assert (bob.waiting, bob.put_off, bob.failing) == (0, 0, None)
    failing.clock.advance(minutes=11)
    assert memory.learning.status().waiting == 1
    assert memory.scoped(user="bob").learning.status().waiting == 0


def test_waiting_reads_only_the_attempts_at_the_turn(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there were before. A turn that is observed again has the same attempts."""
    memory = failing.memory
    before = [memory.observe_turn("Thanks!", "Fine.", wait=True) for _ in range(30)]
    read = counted_reads(monkeypatch)
    last = memory.observe_turn("Thanks!", "Fine.", wait=True, key="last")
    assert len(read) == len(last.attempts) == 1
    again = memory.observe_turn("Thanks!", "Fine.", wait=True, key="last")
    assert again.attempts == last.attempts
    assert {each.conversation for each in (again, *before)} == {last.conversation}
