"""A property that is computed once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from erstwhile.core.fork_safety import cached_property


class Slow:
    """An object whose value waits for an event, if it has one."""

    def __init__(self, word: Event | None = None) -> None:
        self.word = word
        self.begun = Event()
        self.times = 0

    @cached_property
    def value(self) -> int:
        self.begun.set()
        if self.word is not None:
            self.word.wait(60)
        self.times += 1
        return self.times


def test_it_is_worked_out_once() -> None:
    slow = Slow()
    assert (slow.value, slow.value, slow.times) == (1, 1, 1)


def test_nobody_waits_while_another_thread_works_it_out_elsewhere() -> None:
    """A shared lock would stay locked in a child that is forked meanwhile."""
    word = Event()
    slow = Slow(word)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(lambda: slow.value)
        assert slow.begun.wait(60)
        try:
            assert threads.submit(lambda: Slow().value).result(timeout=30) == 1
            assert not first.done()
        finally:
            word.set()
        assert first.result(timeout=60) == 1
