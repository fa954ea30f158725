"""The collection of tasks: planning them, and the work on them."""

from __future__ import annotations

import builtins
import re
from datetime import UTC, datetime, timedelta
from typing import Unpack

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import LOWEST, id_range
from erstwhile.core.kinds import choice
from erstwhile.core.page import Page, PageRequest, checked_limit, cut_page
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_label, checked_reason, checked_text
from erstwhile.core.time import FOREVER, Moment, to_micros
from erstwhile.core.tokens import MAX_TOKENS
from erstwhile.storage.collection import Collection
from erstwhile.storage.table import kept
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks import leases as working
from erstwhile.tasks import task_storage as planning
from erstwhile.tasks.draft import TaskChanges, TaskDetails, parse_due, task_draft
from erstwhile.tasks.rows import TASKS, to_run
from erstwhile.tasks.steps import cancelled, changed, deferred
from erstwhile.tasks.task import (
    MAX_RESULT,
    OPEN,
    Claim,
    Failure,
    RunStatus,
    Scheduled,
    Task,
    TaskRun,
    TaskStatus,
    TaskType,
)

_ANY = frozenset(TaskStatus)
_DUE = re.compile(r"-?[0-9]{1,18}")


class Tasks(Collection):
    """All tasks that this memory's scope can see. Ids may be shortened while they stay unique."""

    def create(self, description: str, **details: Unpack[TaskDetails]) -> Scheduled:
        """Plan a task. One that is open and the same in every detail is returned instead.

        Open tasks that sound like it are told of in `similar`; nothing is merged.
        """
        draft = task_draft(description, now=self._access.clock.now(), **details)
        return self._access.change(lambda unit: planning.create(unit, draft))

    def get(self, id: str) -> Task:
        """One task, open or ended."""
        return TASKS.get(self._access, id)

    def list(
        self,
        *,
        status: TaskStatus | str | None = None,
        ended: bool = False,
        type: TaskType | str | None = None,
        due_by: Moment | None = None,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Task]:
        """Tasks, those due first first: open ones unless said; with `ended` all of them."""
        among = _ANY if ended or deleted else OPEN
        if status is not None:
            among = frozenset((choice(TaskStatus, status, name="status"),))
        wanted, (after, after_id) = checked_limit(limit), _place(cursor)
        asked = {"statuses": f",{','.join(sorted(among))},", "type": _type(type)}

        def listed(view: View) -> Page[Task]:
            due = {"due_by": view.parse(due_by, "due_by", default=FOREVER)}
            page = {"after": after, "after_id": after_id, "limit": wanted + 1}
            found = TASKS.select(view, "list_tasks", {**asked, **due, **page}, kept(deleted))
            return cut_page(found, wanted, lambda task: f"{to_micros(task.due_at)}.{task.id}")

        return self._access.ask(listed)

    def runs(self, id: str, *, limit: int = 20, cursor: str | None = None) -> Page[TaskRun]:
        """The attempts at a task, newest first."""
        request = PageRequest(limit, cursor)

        def listed(view: View) -> Page[TaskRun]:
            task = TASKS.find(view, id)
            rows = view.rows("list_runs", {"task": task.id, **request.params})
            return request.page([to_run(row, task.scope) for row in rows])

        return self._access.ask(listed)

    def claim_due(
        self,
        worker: str,
        limit: int = 1,
        lease: Moment | timedelta = working.LEASE,
        *,
        type: TaskType | str | None = None,
    ) -> builtins.list[Claim]:
        """Take tasks that are due, the longest due first; nobody else gets them meanwhile.

        What is not finished before the lease ends is free again. An administrator's view takes
        from all scopes, any other from exactly its own.
        """
        name, wanted = checked_label(worker, name="worker"), checked_limit(limit)
        working.lease_end(lease, self._access.clock.now())
        of = {"type": _type(type)}
        # Most who ask find nothing, and need not wait for those who write.
        if not self._access.ask(lambda view: working.anything_due(view, **of)):
            return []
        return self._access.change(lambda unit: working.claim_due(unit, name, wanted, lease, **of))

    def claim(self, id: str, worker: str, lease: Moment | timedelta = working.LEASE) -> Claim:
        """Take one certain task, due or not."""
        name = checked_label(worker, name="worker")

        def taken(unit: Unit) -> Claim:
            task = working.free(unit, self._own(unit, id))
            return working.take(unit, task, name, lease)

        return self._access.change(taken)

    def heartbeat(self, id: str, token: str, lease: Moment | timedelta = working.LEASE) -> Claim:
        """Say that the work goes on: the lease then ends so much later than now."""
        return self._access.change(lambda unit: working.heartbeat(unit, id, token, lease))

    def complete(
        self, id: str, token: str, *, result: str | None = None, tokens_used: int | None = None
    ) -> Task:
        """The work is done. What recurs then waits for its next occurrence after this run began.

        To say it again with the same token changes nothing.
        """
        told = {"result": _text(result, "result"), "tokens_used": _tokens(tokens_used)}
        return self._access.change(lambda unit: working.complete(unit, id, token, **told))

    def fail(
        self,
        id: str,
        token: str,
        error: str,
        *,
        final: bool = False,
        tokens_used: int | None = None,
    ) -> Failure:
        """The work failed; the answer says what becomes of the task. `final`: do not try again."""
        why = checked_text(error, name="error", limit=MAX_RESULT)
        told = {"tokens_used": _tokens(tokens_used)}
        return self._access.change(
            lambda unit: working.fail(unit, id, token, why, bool(final), **told)
        )

    def release(self, id: str, token: str) -> Task:
        """Give a task back undone; that does not count as an attempt."""
        return self._access.change(lambda unit: working.release(unit, id, token))

    def defer(
        self,
        id: str,
        until: Moment | timedelta,
        *,
        token: str | None = None,
        reason: str | None = None,
    ) -> Task:
        """Let it be due at another time; one that failed is tried again then.

        What recurs keeps its rhythm. A task that a worker holds needs its token.
        """
        why = checked_reason(reason)

        def moved(unit: Unit) -> Task:
            task = self._let_go(unit, id, token)
            later = deferred(task, parse_due(until, task.time_zone, unit.now), unit.now)
            return planning.store(unit, task, later, "defer", why)

        return self._access.change(moved)

    def cancel(self, id: str, *, reason: str | None = None) -> Task:
        """End a task undone, also one that a worker holds; again changes nothing."""
        why = checked_reason(reason)

        def ended(unit: Unit) -> Task:
            task = self._own(unit, id)
            if task.status is TaskStatus.CANCELLED:
                return task
            if task.status is TaskStatus.CLAIMED:
                working.finish(unit, *working.current_run(unit, task), RunStatus.CANCELLED)
            done = cancelled(task, unit.now)
            return planning.store(unit, task, done, "cancel", why)

        return self._access.change(ended)

    def update(self, id: str, *, reason: str | None = None, **changes: Unpack[TaskChanges]) -> Task:
        """Change details of a pending task. A new time or recurrence counts from there on."""
        why = checked_reason(reason)

        def updated(unit: Unit) -> Task:
            task = working.free(unit, self._own(unit, id))
            new = changed(task, changes, unit.now)
            return planning.store(unit, task, new, "update", why)

        return self._access.change(updated)

    def delete(self, id: str, *, reason: str | None = None) -> Task:
        """Hide a task from every answer and every worker, until it is restored or purged."""
        return TASKS.delete(self._access, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Task:
        """Bring a deleted task back. Refused while another, the same in every detail, is open."""
        return TASKS.restore(self._access, id, reason, self._check_room)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase what was deleted longer ago than this, in exactly this scope."""
        return TASKS.purge(self._access, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy tasks with their runs, down to their bytes in the file. There is no undo."""
        return TASKS.erase(self._access, ids)

    def _own(self, unit: Unit, id: str) -> Task:
        return TASKS.find_own(unit, id)

    def _let_go(self, unit: Unit, id: str, token: str | None) -> Task:
        """The task without its worker: given back with the token, or not held."""
        if token is None:
            return working.free(unit, self._own(unit, id))
        task = working.release(unit, id, token)
        unit.tick()
        return task

    def _check_room(self, unit: Unit, task: Task) -> None:
        planning.check_room(unit, task)


def _place(cursor: str | None) -> tuple[int, str]:
    """Where the page before ended."""
    if cursor is None:
        return to_micros(datetime.min.replace(tzinfo=UTC)), LOWEST
    due, _, id = cursor.partition(".") if isinstance(cursor, str) else ("", "", "")
    if not _DUE.fullmatch(due):
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return int(due), id_range(id)[0]


def _type(type: TaskType | str | None) -> TaskType | None:
    return None if type is None else choice(TaskType, type, name="type")


def _text(text: str | None, name: str) -> str | None:
    return None if text is None else checked_text(text, name=name, limit=MAX_RESULT)


def _tokens(count: int | None) -> int | None:
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_TOKENS:
        raise InvalidInputError(f"tokens_used is no number of tokens: {count!r}")
    return count
