"""Several learners in one process: side by side, in order, bounded; closing while they work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.adapters.llm.retrying import FAILURES, Breaker, RetryingLlm
from erstwhile.core import background as threads
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning import background, progress, worker
from tests.learning.answering_llm import AnsweringLlm
from tests.learning.counted_llm import CountedLlm, DeafLlm
from tests.learning.test_background import GatedLlm, learners
from tests.recall.test_worker import until

USERS = [f"user{number}" for number in range(8)]
LEARNERS = 4


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_PAUSE", 0.0)
    monkeypatch.setattr(threads, "_LOOK_EVERY", 0.05)


def opened(file: Path | str, llm: Any, **more: Any) -> erstwhile.Memory:
    return erstwhile.open(file, embedder="none", llm=llm, **more)


def observe(memory: erstwhile.Memory, turns: int = 1) -> None:
    for turn in range(turns):
        for user in USERS:
            memory.scoped(user=user).observe_turn(f"I own a thing{turn}of{user}.", "Nice.")


def done(memory: erstwhile.Memory) -> bool:
    return not memory.everything().learning.pending()


def test_several_conversations_are_learned_at_the_same_time(file: Path) -> None:
    """By default four with a language model."""
    llm = CountedLlm(together=LEARNERS)
    with opened(file, llm) as memory:
        observe(memory, turns=2)
        until(lambda: done(memory))
        assert llm.most == LEARNERS
        assert len(learners()) == LEARNERS
        assert memory.everything().facts.count() == 2 * len(USERS)
    assert learners() == []


def test_the_turns_of_a_conversation_are_learned_in_order_each_once(file: Path) -> None:
    with opened(file, CountedLlm(together=LEARNERS)) as memory:
        observe(memory, turns=5)
        until(lambda: done(memory))
        order = defaultdict[str, list[int]](list)
        attempts = memory.everything().learning.attempts(limit=200)
        for attempt in sorted(attempts, key=lambda each: each.id):
            order[attempt.conversation].append(attempt.first)
        assert list(order.values()) == [[1, 3, 5, 7, 9]] * len(USERS)
        assert memory.everything().audit.verify().ok


def test_one_learner_calls_the_model_once_at_a_time(file: Path) -> None:
    llm = CountedLlm()
    with opened(file, llm, learners=1) as memory:
        observe(memory, turns=2)
        until(lambda: done(memory))
        assert (llm.most, len(learners())) == (1, 1)


def test_patterns_need_one_thread(file: Path) -> None:
    with opened(file, "none") as memory:
        for user in USERS:
            memory.scoped(user=user).observe_turn("I live in Rome.", "Nice.")
        until(lambda: done(memory))
        assert len(learners()) == 1


def test_without_learners_the_turns_wait_for_another_process(file: Path) -> None:
    with opened(file, AnsweringLlm(), learners=0) as memory:
        observe(memory)
        assert learners() == []
    with opened(file, AnsweringLlm()) as worker:
        assert len(worker.everything().learning.pending()) == len(USERS)
        assert len(worker.everything().learn()) == len(USERS)


@pytest.mark.parametrize("wrong", [-1, 65, 1.5, True, "4"], ids=repr)
def test_the_number_of_learners_is_checked(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="learners"):
        opened(":memory:", "none", learners=wrong)


def test_an_administrator_learns_from_several_scopes_at_the_same_time(file: Path) -> None:
    llm = CountedLlm(together=LEARNERS)
    with opened(file, llm, learners=0) as memory:
        observe(memory, turns=2)
    with opened(file, llm) as memory:
        told = list[tuple[int, int]]()
        made = memory.everything().learn(progress=lambda *both: told.append(both))
        assert (len(made), llm.most) == (2 * len(USERS), LEARNERS)
        assert told[-1] == (4 * len(USERS), 4 * len(USERS))


def test_a_scope_is_learned_oldest_conversation_first(file: Path) -> None:
    """Another conversation may change what an earlier one said."""
    llm = CountedLlm()
    with opened(file, llm) as memory:
        for number in range(6):
            memory.conversations.add("user", f"I own a thing{number}.", channel=f"{number}")
        made = memory.learn()
        assert llm.most == 1
        assert [each.conversation for each in made] == sorted(each.conversation for each in made)


def test_an_error_in_one_scope_frees_all_leases(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(file, AnsweringLlm(), learners=0) as memory:
        observe(memory)
    spoil_one_conversation(monkeypatch)
    with opened(file, AnsweringLlm()) as memory:
        with pytest.raises(KeyError):
            memory.everything().learn()
        assert not any(each.holder for each in memory.everything().learning.pending())


def spoil_one_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the messages of the first user unreadable."""
    next_turn = progress.next_turn

    def unreadable(view: Any, lease: Any) -> Any:
        if lease.scope.user == USERS[0]:
            raise KeyError("corrupt")
        return next_turn(view, lease)

    monkeypatch.setattr(progress, "next_turn", unreadable)


def test_an_unreadable_conversation_holds_up_no_other(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried again after a pause, and the log tells the error."""
    spoil_one_conversation(monkeypatch)
    monkeypatch.setattr(worker, "LATER", worker.LEASE)
    with opened(file, AnsweringLlm(), learners=1) as memory:
        observe(memory, turns=3)
        until(lambda: len(memory.everything().learning.pending()) == 1)
        [left] = memory.everything().learning.pending()
        assert (left.scope.user, left.holder) == (USERS[0], None)
        assert left.try_at is not None
        assert memory.learning.status().put_off == 1
    assert "KeyError" in caplog.text


def test_all_learners_together_overrun_the_limit_by_one_call_each_at_most(file: Path) -> None:
    """The limit is checked before each call, and each call is recorded before the next."""
    limit, llm = 500, CountedLlm(together=LEARNERS)
    settings = erstwhile.Settings(daily_limit=f"{limit} tokens", embedder="none")
    with erstwhile.open(file, llm=llm, settings=settings) as memory:
        observe(memory, turns=4)
        until(lambda: done(memory))
        spent = memory.learning.status().spent
    assert spent.calls == len(llm.prompts)
    assert limit <= spent.input + spent.output < limit + LEARNERS * 165


class DownLlm:
    """A server that is down. All learners call it at the same time."""

    model = "down"

    def __init__(self) -> None:
        self.calls = 0
        self._all_here = threading.Barrier(LEARNERS)

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        self.calls += 1
        if self.calls <= LEARNERS:
            self._all_here.wait(60)
        raise LlmError(f"down for {len(prompt.user)} characters ({cancelled()})")


def test_a_server_that_is_down_is_left_alone_by_all_learners(file: Path) -> None:
    """Only the calls that are in flight when the breaker opens are made in vain."""
    down = DownLlm()
    llm = RetryingLlm(down, Breaker(pause=600.0), tries=1)
    with opened(file, llm) as memory:
        observe(memory, turns=2)
        until(lambda: memory.learning.status().put_off == len(USERS))
        status = memory.learning.status()
        assert status.failing  # by a call in flight, or by one that was not made
        assert status.left_alone_until is not None
    assert LEARNERS <= down.calls < FAILURES + LEARNERS


def test_closing_uses_all_learners(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The turns came too late for the threads to begin."""
    llm = CountedLlm(together=LEARNERS)
    monkeypatch.setattr(threads, "_PAUSE", 60.0)
    with opened(file, llm) as memory:
        observe(memory, turns=2)
    assert llm.most == LEARNERS
    with opened(file, "none") as memory:
        assert done(memory)
        assert memory.everything().facts.count() == 2 * len(USERS)


@pytest.mark.parametrize("model", [GatedLlm, DeafLlm])
def test_closing_ends_in_time_and_the_next_process_continues_at_once(
    file: Path, monkeypatch: pytest.MonkeyPatch, model: Callable[[], GatedLlm | DeafLlm]
) -> None:
    """Whether or not the model can be cancelled; a late answer changes nothing."""
    monkeypatch.setattr(background, "CLOSING", 0.05)
    llm = model()
    memory = opened(file, llm)
    observe(memory, turns=2)
    assert llm.reached.wait(60)
    memory.close()
    with opened(file, AnsweringLlm(), learners=1) as memory:
        assert not any(each.holder for each in memory.everything().learning.pending())
        llm.open.set()
        until(lambda: not learners())
        assert len(memory.everything().learn()) == 2 * len(USERS)
        assert memory.everything().facts.count() == 2 * len(USERS)


@pytest.mark.parametrize("model", [GatedLlm, DeafLlm])
def test_closing_frees_other_threads(file: Path, model: Callable[[], GatedLlm | DeafLlm]) -> None:
    """A call of `learn` that is under way is cancelled, and leaves no lease."""
    llm = model()
    memory = opened(file, llm, learners=0)
    observe(memory)
    caller = threading.Thread(target=_learn_all, args=(memory,))
    caller.start()
    assert llm.reached.wait(60)
    memory.close()
    with opened(file, AnsweringLlm()) as again:
        assert not any(each.holder for each in again.everything().learning.pending())
        assert len(again.everything().learn()) == len(USERS)
    llm.open.set()
    caller.join(60)
    assert not caller.is_alive()


def _learn_all(memory: erstwhile.Memory) -> None:
    with suppress(erstwhile.ClosedError):
        memory.everything().learn()


LEAVING = """
import sys, threading
import erstwhile
from tests.learning.test_background import GatedLlm

llm = GatedLlm()
memory = erstwhile.open(sys.argv[1], embedder="none", llm=llm)
for user in ("ana", "bob"):
    memory.scoped(user=user).observe_turn("I own a kettle.", "Nice.")
assert llm.reached.wait(60)
print("reached", flush=True)
if sys.argv[2] == "interrupted":
    threading.Event().wait(60)
"""


@pytest.mark.parametrize("end", ["at its end", "interrupted"])
def test_a_program_that_does_not_close_leaves_no_lease(file: Path, end: str) -> None:
    """Not even if it ends while a model is asked."""
    process = subprocess.Popen(
        [sys.executable, "-c", LEAVING, str(file), end],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"reached\n"
    if end == "interrupted":
        os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    with opened(file, AnsweringLlm()) as memory:
        assert not any(each.holder for each in memory.everything().learning.pending())
        assert len(memory.everything().learn()) == 2
