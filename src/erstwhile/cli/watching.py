"""A command that goes on until a signal ends it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from erstwhile.cli.call import Call
from erstwhile.cli.exit_codes import INTERRUPTED


def watch(call: Call) -> int:
    """Learn from turns as they come, until a signal ends it; return the exit code."""
    with signalled() as (ended, signals):
        model = call.memory.learning.status().model
        title = f"Learning {f'with {model}' if model else 'by patterns'}. Ctrl-C ends it."
        with call.out.watching(title) as report:
            call.memory.learning.watch(ended, report)
    return INTERRUPTED if signal.SIGINT in signals else 0


@contextmanager
def signalled() -> Iterator[tuple[Event, list[int]]]:
    """Yield an event that SIGINT or SIGTERM sets, and the signals. A second one acts as usual."""
    ended, signals = Event(), list[int]()

    def end(number: int, _frame: FrameType | None) -> None:
        signals.append(number)
        signal.signal(number, before[signal.Signals(number)])
        ended.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ended, signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
