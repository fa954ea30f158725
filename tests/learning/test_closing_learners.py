"""Closing with learners at work: it ends in time, and the next process continues at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import erstwhile
from erstwhile.core import background as threads
from erstwhile.learning import background
from tests.learning.answering_llm import AnsweringLlm
from tests.learning.counted_llm import CountedLlm, DeafLlm
from tests.learning.test_background import GatedLlm, learners, until
from tests.learning.test_several_learners import LEARNERS, USERS, done, observe, opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_closing_uses_all_learners(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The turns came too late for the threads to begin."""
    llm = CountedLlm(together=LEARNERS)
    monkeypatch.setattr(threads, "_PAUSE", 60.0)
    with opened(file, llm) as memory:
        observe(memory, turns=2)
    assert llm.most == LEARNERS
    with opened(file, "none") as memory:
        assert done(memory)


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
