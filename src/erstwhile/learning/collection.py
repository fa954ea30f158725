"""The collection `learning`: attempts, pending conversations and the status."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Event

from erstwhile.adapters.llm.retrying import RetryingLlm
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.errors import ConflictError, ErstwhileError, NotFoundError
from erstwhile.core.results import Page
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.learning import attempts, progress
from erstwhile.learning.attempts import Attempt, AttemptOutcome
from erstwhile.learning.background import watch
from erstwhile.learning.progress import LearningStatus, Waiting
from erstwhile.storage.access import Access
from erstwhile.storage.record import Collection, owned
from erstwhile.usage.collection import spent_today, visible_today


class Learning(Collection):
    """The attempts to learn from turns, as far as this memory's scope sees them."""

    def attempts(
        self,
        *,
        conversation: str | None = None,
        outcome: AttemptOutcome | str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Attempt]:
        """Return the attempts to learn from turns, newest first, with their changes."""
        if conversation is not None:
            table, given = ConversationTable(self._services.idle), conversation
            conversation = self._access.ask(lambda view: table.find(view, given).id)
        return attempts.listed(
            self._access, conversation=conversation, outcome=outcome, limit=limit, cursor=cursor
        )

    def pending(self) -> list[Waiting]:
        """Return the conversations of exactly this scope with turns to learn from."""
        return self._access.ask(progress.pending)

    def retry(self, id: str) -> Attempt:
        """Learn again from a turn that was given up, and return the attempt."""
        from erstwhile.learning.worker import learn_again

        self._access.viewer.check_learner()
        given_up = owned(self._access.viewer, attempts.ATTEMPTS.get(self._access, id))
        if given_up.outcome is not AttemptOutcome.GIVEN_UP:
            raise ConflictError(
                f"{given_up.short_id} was not given up ({given_up.outcome})",
                remedy="a failed turn is tried again automatically, or with `learn`",
            )
        turn = self._access.ask(lambda view: progress.turn_again(view, given_up))
        if turn is None:
            raise NotFoundError(f"the messages of {given_up.short_id} no longer exist")
        return learn_again(self._services, self._access, turn)

    def watch(
        self, until: Event, report: Callable[[Attempt | BackgroundFailure], None] | None = None
    ) -> None:
        """Learn as `memory.learn` does, then from turns as they come, until the event is set.

        Call `report` with each attempt, and with each failure of background work that begins. Then
        end as `memory.close` does: learn for a few seconds, and leave the rest to others.
        """
        self._access.viewer.check_learner()
        watch(self._services, self._access, until, report or (lambda _news: None))

    def status(self) -> LearningStatus:
        """Return the status of learning: its model, spending, pending conversations and failures.

        A memory without a scope returns the status of all scopes.
        """
        limit, now, trouble = self._services.daily_limit, self._access.clock.now(), None
        try:
            llm = self._services.llm()
        except ErstwhileError as error:
            llm, trouble = None, str(error)
        everywhere = spent_today(self._access, self._services)
        unscoped = self._access.viewer.scope == SHARED
        seen = self._access.seen_by(Viewer(everything=True)) if unscoped else self._access
        due = {each.conversation for each in seen.ask(progress.waiting)}
        pending = seen.ask(progress.pending)
        put_off = [each for each in pending if each.conversation not in due]
        times = ((each.try_at, each.leased_until) for each in put_off)
        starts = (max(filter(None, each), default=None) for each in times)
        pause = llm.left_alone if isinstance(llm, RetryingLlm) else None
        return LearningStatus(
            model=None if llm is None else llm.model,
            spent=everywhere if unscoped else visible_today(self._access, self._services),
            limit=str(limit),
            reached=limit.reached(everywhere),
            waiting=len(due),
            put_off=len(put_off),
            next_try=min(filter(None, starts), default=None),
            failing=trouble or _failure(seen),
            left_alone_until=None if pause is None else now + timedelta(seconds=pause),
            background=self._services.background.failures,
        )


def _failure(access: Access) -> str | None:
    """Return why the newest attempt failed; skipped turns do not count."""
    tried = attempts.listed(access, but=AttemptOutcome.NOT_SALIENT, limit=1)
    return next((each.reason for each in tried if each.outcome is AttemptOutcome.FAILED), None)
