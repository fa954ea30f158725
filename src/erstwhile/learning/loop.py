"""The learning loop: take each pending conversation with a lease, and learn turn by turn."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial

from erstwhile.core.errors import ConflictError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import Scope, Viewer
from erstwhile.learning import progress_table
from erstwhile.learning.attempt import Attempt
from erstwhile.learning.evaluate_turn import TurnEvaluator
from erstwhile.learning.learn_turn import TurnLearner, store
from erstwhile.learning.progress import LearningLease, PendingTurn, Waiting
from erstwhile.learning.side_by_side import side_by_side
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

LEASE = timedelta(minutes=5)
"""The duration of a lease. If the learner dies, another one continues after this time."""
TIME_FOR_A_TURN = timedelta(minutes=3)
"""The longest time for one turn: mostly the call of a model with its retries."""
LATER = timedelta(seconds=5)
"""The pause after an unexpected error in a conversation, so that it does not hold up others."""
ACTOR = "learning"
"""The actor in the audit trail."""


def learn_pending(
    services: Services,
    access: Access,
    conversation: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Attempt]:
    """Learn from all due turns in the viewer's scope, or for an administrator in all scopes.

    Scopes are learned side by side. In a scope the oldest conversation is first, because a later
    one may change what an earlier one said. A turn with an unusable answer of the model is tried
    again at once, and does not block other conversations.
    """
    of_scope: dict[Scope, list[Waiting]] = {}
    for waiting in access.ask(progress_table.pending):
        if conversation in (None, waiting.conversation):
            of_scope.setdefault(waiting.scope, []).append(waiting)

    def learned(pending: Sequence[Waiting], cancelled: Callable[[], bool]) -> Iterator[Attempt]:
        for waiting in pending:
            if not cancelled() and _may_be_free(waiting, access.clock.now()):
                yield from ConversationLearner(services, access, waiting, cancelled).turns()

    return side_by_side(learned, of_scope.values(), services.learners, cancelled)


def due_conversations(access: Access, *, with_model: bool) -> list[Waiting]:
    """Return the conversations to learn from in the background, the oldest first.

    A learner without a model leaves the turns of processes that have one to these.
    """
    due = access.ask(progress_table.waiting)
    return [each for each in due if with_model or not each.with_model]


def _may_be_free(waiting: Waiting, now: datetime) -> bool:
    """Return whether the lease may be free, or belongs to a thread of this process."""
    if waiting.try_at is not None and waiting.try_at > now:
        return False
    held = waiting.leased_until is not None and waiting.leased_until > now
    return not held or waiting.holder == holder()


def learn_again(services: Services, access: Access, turn: PendingTurn) -> Attempt:
    """Learn again from a finished turn, without changing the progress."""
    own = access.seen_by(Viewer(scope=turn.scope, name=ACTOR))
    evaluation = TurnEvaluator(services, own).evaluate(turn)
    return own.change(lambda unit: store(unit, turn, evaluation))


def holder() -> str:
    """Return the name of this process for the lease."""
    return f"{socket.gethostname()}:{os.getpid()}"


class ConversationLearner:
    """Learns from one conversation, with a view of the conversation's scope."""

    def __init__(
        self, services: Services, access: Access, waiting: Waiting, cancelled: Callable[[], bool]
    ) -> None:
        self._in_work = services.conversations_in_work
        self._access = access.seen_by(Viewer(scope=waiting.scope, name=ACTOR))
        self._id = waiting.conversation
        self._cancelled = cancelled
        self._evaluator = TurnEvaluator(services, self._access, cancelled)

    def turns(self) -> Iterator[Attempt]:
        """Learn until no turn is due, or another process has leased the conversation.

        Wait for another thread of this process, because its caller expects the results.
        """
        with self._in_work.lock(self._id):
            yield from self._turns(once=False)

    def turns_if_free(self, *, once: bool) -> Iterator[Attempt]:
        """Learn as `turns` does, unless another thread learns from the conversation.

        With `once`, a failed turn is not tried again at once.
        """
        lock = self._in_work.lock(self._id)
        if not lock.acquire(blocking=False):
            return
        try:
            yield from self._turns(once)
        finally:
            lock.release()

    def _turns(self, once: bool) -> Iterator[Attempt]:
        again = True
        while again and (lease := self._access.change(self._claim)):
            with self._in_work.leased(self._id, partial(self._give_back, lease)):
                try:
                    failed = yield from self._in_order(lease)
                except ConflictError:  # undone or taken over: left to the next learner
                    return
                except Exception:
                    self._give_back(lease, LATER)
                    raise
            again = failed and not once

    def _in_order(self, lease: LearningLease | None) -> Generator[Attempt, None, bool]:
        """Learn from each turn in order until one fails; return whether one did."""
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
        """Return the next turn; if there is none, mark the rest (undone messages) as done."""
        found = self._access.ask(lambda view: progress_table.next_turn(view, lease))
        if found is None and lease.learned < lease.wanted:
            self._access.change(lambda unit: progress_table.finish(unit, lease, None))
        return found

    def _renewed(self, lease: LearningLease) -> LearningLease:
        """Return the lease, renewed if the time is too short for another turn."""
        if lease.leased_until - self._access.clock.now() > TIME_FOR_A_TURN:
            return lease
        return self._access.change(lambda unit: progress_table.renew(unit, lease, LEASE))

    def _give_back(self, lease: LearningLease, pause: timedelta | None = None) -> None:
        """Return the lease, so that the next learner continues at once or after a pause."""
        try:
            self._access.change(lambda unit: progress_table.release(unit, lease, pause))
        except Exception as error:
            # The lease runs out by itself.
            log_failure(__name__, "a conversation stays leased for a while", error=error)
