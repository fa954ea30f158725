"""The learning loop: lease each pending conversation, and learn turn by turn."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from queue import SimpleQueue
from threading import Event
from typing import TypeAlias

from erstwhile.core.errors import ConflictError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import Scope, Viewer
from erstwhile.learning import attempts, progress
from erstwhile.learning.attempts import Attempt
from erstwhile.learning.learn_turn import TurnLearner, store
from erstwhile.learning.pipeline import TurnEvaluator
from erstwhile.learning.progress import LearningLease, PendingTurn, Waiting
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

Cancelled: TypeAlias = Callable[[], bool]

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
    cancelled: Cancelled = lambda: False,
    *,
    early: bool = False,
) -> Iterator[Attempt]:
    """Learn from all due turns in the viewer's scope, or for an administrator in all scopes.

    Scopes are learned side by side. In a scope the oldest conversation is first, because a later
    one may change what an earlier one said. A turn with an unusable answer of the model is tried
    again at once, and does not block other conversations. With `early`, a turn that is to be tried
    again later is tried now, once.
    """
    of_scope: dict[Scope, list[Waiting]] = {}
    for waiting in access.ask(progress.pending):
        if conversation in (None, waiting.conversation):
            of_scope.setdefault(waiting.scope, []).append(waiting)

    def learned(pending: Sequence[Waiting], cancelled: Cancelled) -> Iterator[Attempt]:
        for waiting in pending:
            if not cancelled() and (early or _may_be_free(waiting, access.clock.now())):
                learner = ConversationLearner(services, access, waiting, cancelled)
                yield from learner.turns(early=early)

    return _side_by_side(learned, list(of_scope.values()), services.learners, cancelled)


def _may_be_free(waiting: Waiting, now: datetime) -> bool:
    """Return whether the lease may be free, or belongs to a thread of this process."""
    if waiting.try_at is not None and waiting.try_at > now:
        return False
    held = waiting.leased_until is not None and waiting.leased_until > now
    return not held or waiting.holder == holder()


def learn_again(
    services: Services, access: Access, turn: PendingTurn, *, instead_of: Attempt | None = None
) -> Attempt:
    """Learn again from a finished turn, without changing the progress.

    Raise ConflictError if the turn of the missed attempt `instead_of` was read meanwhile.
    """
    own = access.seen_by(Viewer(scope=turn.scope, name=ACTOR))
    evaluation = TurnEvaluator(services, own).evaluate(turn)

    def learned(unit: Unit) -> Attempt:
        if instead_of is not None and not attempts.is_missed(unit, instead_of):
            raise ConflictError(
                f"the turn of {instead_of.short_id} was read meanwhile",
                remedy="discard this result",
            )
        return store(unit, turn, evaluation)

    return own.change(learned)


def learn_missed(
    services: Services,
    access: Access,
    missed: Sequence[Attempt],
    cancelled: Cancelled = lambda: False,
) -> Iterator[Attempt]:
    """Read the turns of missed attempts with the model, until its daily limit is reached again.

    Skip a turn that another thread or process read meanwhile.
    """
    for attempt in missed:
        if cancelled():
            return
        with services.conversations_in_work.lock(attempt.conversation):
            turn = access.ask(partial(_missed_turn, attempt=attempt))
            try:
                made = turn and learn_again(services, access, turn, instead_of=attempt)
            except ConflictError:  # another process was faster
                continue
        if made:
            yield made
            if made.method == attempts.CAPPED:
                return


def _missed_turn(view: View, attempt: Attempt) -> PendingTurn | None:
    is_missed = attempts.is_missed(view, attempt)
    return progress.turn_again(view, attempt) if is_missed else None


def holder() -> str:
    """Return the name of this process for the lease."""
    return f"{socket.gethostname()}:{os.getpid()}"


class ConversationLearner:
    """Learns from one conversation, with a view of the conversation's scope."""

    def __init__(
        self, services: Services, access: Access, waiting: Waiting, cancelled: Cancelled
    ) -> None:
        self._in_work = services.conversations_in_work
        self._access = access.seen_by(Viewer(scope=waiting.scope, name=ACTOR))
        self._id = waiting.conversation
        self._cancelled = cancelled
        self._evaluator = TurnEvaluator(services, self._access, cancelled)

    def turns(
        self, *, early: bool = False, once: bool = False, wait: bool = True
    ) -> Iterator[Attempt]:
        """Learn until no turn is due, or another process has leased the conversation.

        With `wait`, wait for another thread of this process, because the caller expects its
        results; else leave the conversation to it. With `once`, do not try a failed turn again at
        once.
        """
        lock = self._in_work.lock(self._id)
        if not lock.acquire(blocking=wait):
            return
        try:
            yield from self._turns(early=early, once=once)
        finally:
            lock.release()

    def _turns(self, *, early: bool, once: bool) -> Iterator[Attempt]:
        again = True
        while again:
            lease = self._access.change(
                partial(
                    progress.claim,
                    conversation=self._id,
                    holder=holder(),
                    duration=LEASE,
                    early=early,
                )
            )
            if lease is None:
                return
            early = False
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
        access = self._access
        while lease is not None:
            if self._cancelled():
                return False
            pending = access.ask(partial(progress.next_turn, lease=lease))
            if pending is None:
                if lease.learned < lease.wanted:  # the rest was undone
                    access.change(partial(progress.finish, lease=lease, turn=None))
                return False
            if lease.leased_until - access.clock.now() <= TIME_FOR_A_TURN:
                lease = access.change(partial(progress.renew, lease=lease, duration=LEASE))
            attempt, lease = TurnLearner(self._evaluator, lease, pending).learn()
            if attempt is None:
                return False
            yield attempt
        return True

    def _give_back(self, lease: LearningLease, pause: timedelta | None = None) -> None:
        """Return the lease, so that the next learner continues at once or after a pause."""
        try:
            self._access.change(lambda unit: progress.release(unit, lease, pause))
        except Exception as error:
            # The lease runs out by itself.
            log_failure(__name__, "could not release a lease; it will expire", error=error)


def _side_by_side(
    work: Callable[[Sequence[Waiting], Cancelled], Iterator[Attempt]],
    jobs: Sequence[Sequence[Waiting]],
    threads: int,
    cancelled: Cancelled,
) -> Iterator[Attempt]:
    """Yield the results of all jobs as they come. If one raises, stop the others and raise it."""
    if min(threads, len(jobs)) <= 1:
        for job in jobs:
            yield from work(job, cancelled)
        return
    made: SimpleQueue[Attempt | None] = SimpleQueue()
    ended = Event()

    def run(job: Sequence[Waiting]) -> None:
        try:
            for result in work(job, lambda: ended.is_set() or cancelled()):
                made.put(result)
        except BaseException:
            ended.set()
            raise
        finally:
            made.put(None)

    with ThreadPoolExecutor(min(threads, len(jobs)), "erstwhile-learn") as pool:
        running = [pool.submit(run, job) for job in jobs]
        try:
            for _ in running:
                while (result := made.get()) is not None:
                    yield result
            for each in running:
                each.result()
        finally:  # the caller may have been interrupted
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
