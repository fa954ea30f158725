"""Work on tasks until none is due, or until death.

Arguments: a file, this worker's name, by how many hours its clock is ahead, and after how many
completed tasks it kills itself, in the middle of the next handful (0 for never). The id of each
task is printed as it is begun, and again, after "done", when it is completed.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime, timedelta

import erstwhile
from tests.engines.scripts import starting_line

HANDFUL = 5


class ClockAhead:
    def __init__(self, hours: float) -> None:
        self._by = timedelta(hours=hours)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._by


def main(file: str, name: str, hours: str, last: str) -> None:
    settings = erstwhile.Settings(synchronous="NORMAL", busy_timeout=60)
    clock = ClockAhead(float(hours))
    with erstwhile.open(file, settings=settings, embedder="none", clock=clock) as memory:
        starting_line.wait()
        tasks, done = memory.everything().tasks, 0
        while claims := tasks.claim_due(name, HANDFUL, "1 hour"):
            for number, claim in enumerate(claims):
                print(claim.task.id, flush=True)
                if int(last) and done >= int(last) and number == HANDFUL // 2:
                    os.kill(os.getpid(), signal.SIGKILL)
                tasks.complete(claim.task.id, claim.token, result=name)
                print("done", claim.task.id, flush=True)
                done += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
