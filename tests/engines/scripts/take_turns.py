"""Learn from all that waits, or until death.

Arguments: a file, this learner's name, by how many hours its clock is ahead, and at which turn it
kills itself, while it stores what it learned (0 for never). The text of each turn is remembered in
the unit that moves the cursor, and is printed when it is stored.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta

import erstwhile
from erstwhile.core.scope import Viewer
from erstwhile.facts import remembering
from erstwhile.learning import progress
from erstwhile.learning.progress import LearningLease, PendingTurn
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from tests.engines.scripts import starting_line
from tests.engines.scripts.work import ClockAhead

LEASE = timedelta(hours=1)


class LearnerByName:
    def __init__(self, access: Access, name: str, last: int) -> None:
        self._access = access
        self._name = name
        self._last = last
        self._turns = 0

    def learn(self, conversation: str) -> None:
        learner = self._access.change(
            lambda unit: progress.claim(unit, conversation, self._name, LEASE)
        )
        while learner and (turn := self._next(learner)):
            learner = self._store(learner, turn)
            print(turn.messages[0].content, flush=True)

    def _next(self, learner: LearningLease) -> PendingTurn | None:
        return self._access.ask(lambda view: progress.next_turn(view, learner))

    def _store(self, learner: LearningLease, turn: PendingTurn) -> LearningLease:
        self._turns += 1

        def stored(unit: Unit) -> LearningLease:
            text = f"{turn.messages[0].content} by {self._name}"
            remembering.remember(unit, erstwhile.draft(text))
            finished = progress.finish(unit, learner, turn)
            if self._turns == self._last:
                os.kill(os.getpid(), signal.SIGKILL)
            return finished

        return self._access.change(stored)


def main(file: str, name: str, hours: str, last: str) -> None:
    settings = erstwhile.Settings(synchronous="NORMAL", busy_timeout=60)
    clock = ClockAhead(float(hours))
    with erstwhile.open(file, settings=settings, embedder="none", clock=clock) as memory:
        everything = memory.everything()._access
        learners: dict[Viewer, LearnerByName] = {}
        starting_line.wait()
        while waiting := everything.ask(progress.waiting):
            for each in waiting:
                viewer = Viewer(scope=each.scope)
                own = learners.setdefault(
                    viewer, LearnerByName(everything.seen_by(viewer), name, int(last))
                )
                own.learn(each.conversation)


if __name__ == "__main__":
    main(*sys.argv[1:])
