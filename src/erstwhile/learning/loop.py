"""Learning from what waits: conversation by conversation, each alone, turn by turn in its order."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Generator, Iterator
from datetime import datetime, timedelta

from erstwhile.core.errors import ConflictError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import Viewer
from erstwhile.learning import progress_table
from erstwhile.learning.attempt import Attempt
from erstwhile.learning.evaluate_turn import TurnEvaluator
from erstwhile.learning.learn_turn import TurnLearner, store
from erstwhile.learning.progress import LearningLease, PendingTurn, Waiting
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

LEASE = timedelta(minutes=5)
"""The time that a learner has a conversation for itself. If it dies, another goes on then."""
TIME_FOR_A_TURN = timedelta(minutes=3)
"""What learning from one may take: mostly a question to a model, with all its tries."""
ACTOR = "learning"
"""Who the audit trail says it was."""


def drain(
    services: Services,
    access: Access,
    conversation: str | None = None,
    *,
    once: bool = False,
    theirs: Callable[[Waiting], bool] = lambda _waiting: False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Attempt]:
    """Learn from all that is due in the viewer's scope, or for an administrator in all of them.

    A turn of which the model made nothing usable is tried again at once, unless each is to be tried
    `once`. It holds up no other conversation. What is `theirs` is left to others.
    """
    for waiting in access.ask(progress_table.pending):
        asked_for = conversation in (None, waiting.conversation) and not theirs(waiting)
        if asked_for and not cancelled() and _may_be_free(waiting, access.clock.now()):
            yield from _Conversation(services, access, waiting, cancelled).turns(once)


def _may_be_free(waiting: Waiting, now: datetime) -> bool:
    """Whether it is worth asking for: a thread of this process that has it is waited for."""
    if waiting.try_at is not None and waiting.try_at > now:
        return False
    held = waiting.leased_until is not None and waiting.leased_until > now
    return not held or waiting.holder == holder()


def learn_again(services: Services, access: Access, turn: PendingTurn) -> Attempt:
    """Learn from a turn that learning is done with: nothing is marked, and no cursor moves."""
    own = access.seen_by(Viewer(scope=turn.scope, name=ACTOR))
    evaluation = TurnEvaluator(services, own).evaluate(turn)
    return own.change(lambda unit: store(unit, turn, evaluation))


def holder() -> str:
    """Who learns, for those who wonder why somebody else cannot."""
    return f"{socket.gethostname()}:{os.getpid()}"


class _Conversation:
    """One conversation, learned from as its own scope sees it."""

    def __init__(
        self, services: Services, access: Access, waiting: Waiting, cancelled: Callable[[], bool]
    ) -> None:
        self._services = services
        self._access = access.seen_by(Viewer(scope=waiting.scope, name=ACTOR))
        self._id = waiting.conversation
        self._cancelled = cancelled
        self._evaluator = TurnEvaluator(services, self._access, cancelled)

    def turns(self, once: bool) -> Iterator[Attempt]:
        """Until nothing is left or due, or somebody else has the conversation."""
        with self._services.conversation_locks.at(self._id):
            again = True
            while again and (lease := self._access.change(self._claim)):
                try:
                    failed = yield from self._in_order(lease)
                except ConflictError:  # undone or taken over, and left to whoever comes next
                    return
                finally:
                    self._release(lease)
                again = failed and not once

    def _in_order(self, lease: LearningLease | None) -> Generator[Attempt, None, bool]:
        """Each turn in its order, up to one that fails; whether one did."""
        while lease is not None:
            pending = None if self._cancelled() else self._next_turn(lease)
            if pending is None:
                return False
            attempt, lease = TurnLearner(self._evaluator, self._renewed(lease), pending).learn()
            if attempt is None:
                return False
            yield attempt
        return True

    def _claim(self, unit: Unit) -> LearningLease | None:
        return progress_table.claim(unit, self._id, holder(), LEASE)

    def _next_turn(self, lease: LearningLease) -> PendingTurn | None:
        """If there is none, what was left is done with, such as messages that were undone."""
        found = self._access.ask(lambda view: progress_table.next_turn(view, lease))
        if found is None and lease.learned < lease.wanted:
            self._access.change(lambda unit: progress_table.finish(unit, lease, None))
        return found

    def _renewed(self, lease: LearningLease) -> LearningLease:
        """With enough time for another turn."""
        if lease.leased_until - self._access.clock.now() > TIME_FOR_A_TURN:
            return lease
        return self._access.change(lambda unit: progress_table.renew(unit, lease, LEASE))

    def _release(self, lease: LearningLease) -> None:
        try:
            self._access.change(lambda unit: progress_table.release(unit, lease))
        except Exception as error:
            # The lease runs out by itself.
            log_failure(__name__, "a conversation stays leased for a while", error=error)
