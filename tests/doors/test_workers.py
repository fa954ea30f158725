"""The parent of several workers."""

from __future__ import annotations

import os
import signal

from erstwhile.doors.workers import Workers


def test_a_worker_that_has_ended_already_does_not_disturb_the_end() -> None:
    """A signal may come after a worker was waited for, and before it is counted out."""
    workers = Workers(2, lambda: 0, patience=5, forget=lambda _: None)
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    workers._pids.add(pid)
    workers._end(signal.SIGTERM, None)
    assert workers._ending
