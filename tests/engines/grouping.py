"""Calls that arrive at a group commit together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from erstwhile.engines.sqlite.group_commit import GroupCommit

Result = TypeVar("Result")


def as_a_group(
    commits: GroupCommit[Any], calls: Sequence[Callable[[], Result]]
) -> list[Future[Result]]:
    """Make each call from a thread of its own; all are waiting before the first is served."""
    with ThreadPoolExecutor(len(calls)) as pool, commits.lock:
        futures = [pool.submit(call) for call in calls]
        while len(commits._waiting) < len(calls):
            time.sleep(0.001)
    return futures
