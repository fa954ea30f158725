"""The collection `memory.tasks`: add tasks, and claim and finish them."""

from __future__ import annotations

import builtins
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Unpack

from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import MIN_ID, id_in_cursor
from erstwhile.core.kinds import NOT_DELETED, choice
from erstwhile.core.ports import MAX_TOKENS
from erstwhile.core.results import Page, PageRequest, checked_int, checked_limit, cut_page
from erstwhile.core.text import checked_label, checked_reason, checked_text
from erstwhile.core.time import FOREVER, Moment, to_micros
from erstwhile.storage.record import RecordCollection
from erstwhile.storage.table import kept
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks import leases, table
from erstwhile.tasks.draft import TaskChanges, TaskDetails, parse_due, task_draft
from erstwhile.tasks.table import RUNS, TASKS
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
from erstwhile.tasks.transitions import back_off, changed, completed, deferred, freed, set_back

_ANY = frozenset(TaskStatus)
_DUE = re.compile(r"-?[0-9]{1,18}")


class Tasks(RecordCollection[Task], noun="task"):
    """The tasks that this memory's scope can see. An id may be shortened while it is unique."""

    _table = TASKS

    def add(self, description: str, **details: Unpack[TaskDetails]) -> Scheduled:
        """Add a task, or return the open task with the same details.

        `similar` lists open tasks with similar descriptions; they are not merged.
        """
        check_keywords(details, TaskDetails)
        draft = task_draft(description, now=self._access.clock.now(), **details)
        return self._access.change(lambda unit: table.add(unit, draft))

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
        """List tasks by due time: open tasks by default, with `ended` also ended ones."""
        statuses = _ANY if ended or deleted else OPEN
        if status is not None:
            wanted_status = choice(TaskStatus, status, name="status", instead=NOT_DELETED)
            statuses = frozenset((wanted_status,))
        size, (after, after_id) = checked_limit(limit), _position(cursor)
        filters = {"statuses": f",{','.join(sorted(statuses))},", "type": _optional_type(type)}

        def listed(view: View) -> Page[Task]:
            due = {"due_by": view.parse(due_by, "due_by", default=FOREVER)}
            page = {"after": after, "after_id": after_id, "limit": size + 1}
            found = TASKS.select(view, "list_tasks", {**filters, **due, **page}, kept(deleted))
            return cut_page(found, size, lambda task: f"{to_micros(task.due_at)}.{task.id}")

        return self._access.ask(listed)

    def runs(self, id: str, *, limit: int = 20, cursor: str | None = None) -> Page[TaskRun]:
        """List the attempts at a task, newest first."""
        request = PageRequest(limit, cursor)

        def listed(view: View) -> Page[TaskRun]:
            task = TASKS.find(view, id)
            rows = view.rows("list_runs", {"task": task.id, **request.params})
            return request.page([RUNS.decode(row, scope=task.scope) for row in rows])

        return self._access.ask(listed)

    def claim_due(
        self,
        worker: str,
        limit: int = 1,
        lease: Moment | timedelta = leases.LEASE,
        *,
        type: TaskType | str | None = None,
    ) -> builtins.list[Claim]:
        """Claim due tasks, the longest due first. No other worker gets them during the lease.

        A task that is not finished before its lease ends can be claimed again. An
        administrator's view claims from all scopes, any other view from exactly its own.
        """
        name, size = checked_label(worker, name="worker"), checked_limit(limit)
        leases.lease_end(lease, self._access.clock.now())
        filters = {"type": _optional_type(type)}
        # Read first: most calls find nothing, and a read does not wait for writers.
        if not self._access.ask(lambda view: leases.anything_due(view, **filters)):
            return []
        return self._access.change(
            lambda unit: leases.claim_due(unit, name, size, lease, **filters)
        )

    def claim(self, id: str, worker: str, lease: Moment | timedelta = leases.LEASE) -> Claim:
        """Claim one task by its id, due or not."""
        name = checked_label(worker, name="worker")

        def claim(unit: Unit) -> Claim:
            task = leases.without_worker(unit, TASKS.find_own(unit, id))
            return leases.take(unit, task, name, lease)

        return self._access.change(claim)

    def heartbeat(self, id: str, token: str, lease: Moment | timedelta = leases.LEASE) -> Claim:
        """Extend the lease: it ends after the time `lease` from now."""

        def extend(unit: Unit) -> Claim:
            task, _ = leases.held(unit, id, token)
            until = leases.lease_end(lease, unit.now)
            extended = table.change(unit, task, replace(task, lease_until=until), "heartbeat")
            return Claim(task=extended, token=token, expires_at=until)

        return self._access.change(extend)

    def complete(
        self, id: str, token: str, *, result: str | None = None, tokens_used: int | None = None
    ) -> Task:
        """Complete a task. A recurring one waits for its next occurrence after this run began.

        Completing it again with the same token changes nothing.
        """
        if result is not None:
            result = checked_text(result, name="result", limit=MAX_RESULT)
        if tokens_used is not None:
            checked_int(tokens_used, "tokens_used", 0, MAX_TOKENS)
        details = {"result": result, "tokens_used": tokens_used}

        def complete(unit: Unit) -> Task:
            task, run = leases.run_of(unit, id, token)
            if run.status is RunStatus.COMPLETED:
                return task
            leases.check_held(task, run)
            leases.finish(unit, run, token, RunStatus.COMPLETED, **details)
            done = completed(task, started=run.started_at, at=unit.now)
            return table.change(unit, task, done, "complete")

        return self._access.change(complete)

    def fail(
        self,
        id: str,
        token: str,
        error: str,
        *,
        final: bool = False,
        tokens_used: int | None = None,
    ) -> Failure:
        """End an attempt as failed, and return the next step. `final` means no retry."""
        why = checked_text(error, name="error", limit=MAX_RESULT)
        if tokens_used is not None:
            checked_int(tokens_used, "tokens_used", 0, MAX_TOKENS)

        def fail(unit: Unit) -> Failure:
            task, run = leases.held(unit, id, token)
            leases.finish(unit, run, token, RunStatus.FAILED, error=why, tokens_used=tokens_used)
            retry_at = None if final else unit.now + back_off(task.attempts)
            then = set_back(task, why, started=run.started_at, at=unit.now, retry_at=retry_at)
            return replace(then, task=table.change(unit, task, then.task, "fail"))

        return self._access.change(fail)

    def release(self, id: str, token: str) -> Task:
        """Give a task back without finishing it; that does not count as an attempt."""
        return self._access.change(lambda unit: leases.release(unit, id, token))

    def defer(
        self,
        id: str,
        until: Moment | timedelta,
        *,
        token: str | None = None,
        reason: str | None = None,
    ) -> Task:
        """Make a task due at another time. A failed task is tried again then.

        The other occurrences of a recurring task do not move. A task that a worker holds needs its
        token.
        """
        why = checked_reason(reason)

        def defer(unit: Unit) -> Task:
            if token is None:
                task = leases.without_worker(unit, TASKS.find_own(unit, id))
            else:
                task = leases.release(unit, id, token)
                unit.tick()
            due = parse_due(until, task.time_zone, unit.now, name="until")
            later = deferred(task, due, unit.now)
            return table.change(unit, task, later, "defer", why)

        return self._access.change(defer)

    def cancel(self, id: str, *, reason: str | None = None) -> Task:
        """End a task without finishing it, even if a worker holds it. Repeating changes nothing."""
        why = checked_reason(reason)

        def cancel(unit: Unit) -> Task:
            task = TASKS.find_own(unit, id)
            if task.status is TaskStatus.CANCELLED:
                return task
            if task.status is TaskStatus.CLAIMED:
                leases.finish(unit, *leases.current_run(unit, task), RunStatus.CANCELLED)
            ended = freed(task, unit.now, status=TaskStatus.CANCELLED)
            return table.change(unit, task, ended, "cancel", why)

        return self._access.change(cancel)

    def update(self, id: str, *, reason: str | None = None, **changes: Unpack[TaskChanges]) -> Task:
        """Change details of a pending task. A new time or recurrence counts from then on."""
        check_keywords(changes, TaskChanges, "reason")
        why = checked_reason(reason)

        def update(unit: Unit) -> Task:
            task = leases.without_worker(unit, TASKS.find_own(unit, id))
            return table.change(unit, task, changed(task, changes, unit.now), "update", why)

        return self._access.change(update)

    def restore(self, id: str, *, reason: str | None = None) -> Task:
        """Restore a deleted task. Refused while an open task has the same details."""
        return TASKS.restore(self._access, id, reason, table.check_no_duplicate)


def _position(cursor: str | None) -> tuple[int, str]:
    """Return the due time and the id at the end of the previous page."""
    if cursor is None:
        return to_micros(datetime.min.replace(tzinfo=UTC)), MIN_ID
    due, _, id = cursor.partition(".") if isinstance(cursor, str) else ("", "", "")
    if not _DUE.fullmatch(due):
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return int(due), id_in_cursor(id)


def _optional_type(type: TaskType | str | None) -> TaskType | None:
    return None if type is None else choice(TaskType, type, name="type")
