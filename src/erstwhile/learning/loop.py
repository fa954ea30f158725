"""Learning from what waits: conversation by conversation, each alone, turn by turn in its order."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from erstwhile.core.errors import ConflictError, ErstwhileError
from erstwhile.core.scope import Viewer
from erstwhile.learning import progress_table as learning_progress
from erstwhile.learning.attempt import Attempt
from erstwhile.learning.evaluate_turn import weigh
from erstwhile.learning.learn_turn import learn_turn, store
from erstwhile.learning.progress import Learner, PendingTurn, Waiting
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

LEASE = timedelta(minutes=5)
"""How long a conversation is one learner's own; should it die, another goes on after that."""
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
    for waiting in access.ask(learning_progress.pending):
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
    found = weigh(services, own, turn, lambda: False)
    return own.change(lambda unit: store(unit, turn, found))


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

    def turns(self, once: bool) -> Iterator[Attempt]:
        """Until nothing is left or due, or somebody else has the conversation."""
        with self._services.conversation_locks.at(self._id):
            again = True
            while again and (learner := self._access.change(self._claim)):
                try:
                    failed = yield from self._in_order(learner)
                except ConflictError:  # undone or taken over, and left to whoever comes next
                    return
                finally:
                    self._release(learner)
                again = failed and not once

    def _in_order(self, learner: Learner | None) -> Generator[Attempt, None, bool]:
        """Each turn in its order, up to one that fails; whether one did."""
        while learner is not None:
            pending = None if self._cancelled() else self._next_turn(learner)
            if pending is None:
                return False
            attempt, learner = learn_turn(
                self._services, self._access, self._renewed(learner), pending, self._cancelled
            )
            if attempt is None:
                return False
            yield attempt
        return True

    def _claim(self, unit: Unit) -> Learner | None:
        return learning_progress.claim(unit, self._id, holder(), LEASE)

    def _next_turn(self, learner: Learner) -> PendingTurn | None:
        """If there is none, what was left is done with, such as messages that were undone."""
        found = self._access.ask(lambda view: learning_progress.next_turn(view, learner))
        if found is None and learner.learned < learner.wanted:
            self._access.change(lambda unit: learning_progress.finish(unit, learner, None))
        return found

    def _renewed(self, learner: Learner) -> Learner:
        """With enough time for another turn."""
        if learner.leased_until - self._access.clock.now() > TIME_FOR_A_TURN:
            return learner
        return self._access.change(lambda unit: learning_progress.renew(unit, learner, LEASE))

    def _release(self, learner: Learner) -> None:
        with suppress(ErstwhileError):  # a store in trouble: the lease runs out
            self._access.change(lambda unit: learning_progress.release(unit, learner))
