"""Commands that run until SIGINT or SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event
from types import FrameType

from erstwhile.cli.call import Call
from erstwhile.cli.exit_codes import INTERRUPTED, USAGE, code_of
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.time import parse_expiry

_MIN_SECONDS = 1.0
"""Shortest time between two runs of a command."""


def watch_learning(call: Call) -> int:
    """Learn from turns as they come until a signal; return the exit code."""
    with _stop_event() as (ended, signals):
        model = call.memory.learning.status().model
        title = f"Learning {f'with {model}' if model else 'by patterns'}. Ctrl-C ends it."
        with call.out.watching(title) as report:
            call.memory.learning.watch(ended, report)
    return INTERRUPTED if signal.SIGINT in signals else 0


def repeat(call: Call, once: Callable[[], None], every: str | None) -> int:
    """Run a command once, or repeatedly until a signal; return the exit code.

    A failed run is reported, and the next run is tried.
    """
    if every is None:
        once()
        return 0
    pause = _interval(every)
    with _stop_event() as (ended, signals):
        while not ended.is_set():
            if code_of(once, as_json=call.data_asked) == USAGE:
                return USAGE
            ended.wait(pause)
    return INTERRUPTED if signal.SIGINT in signals else 0


def _interval(every: str) -> float:
    now = datetime.now(UTC)
    seconds = (parse_expiry(every, now=now, name="--every") - now).total_seconds()
    if seconds < _MIN_SECONDS:
        raise InvalidInputError(
            f"--every cannot be {every!r}", remedy="give a duration, such as '6 hours'"
        )
    return seconds


@contextmanager
def _stop_event() -> Iterator[tuple[Event, list[int]]]:
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
