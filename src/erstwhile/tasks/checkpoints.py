"""The collection of checkpoints: how far runs of several phases have come.

A run has a name, the caller's own, in one scope. Its phases are in the order in which they were
first named. What a phase has brought is kept until something else is given in its place.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from datetime import timedelta
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError, TooLargeError
from erstwhile.core.ids import new_id
from erstwhile.core.page import Page, checked_limit
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_label, checked_reason, checked_text
from erstwhile.core.time import Moment, from_micros
from erstwhile.storage.collection import Collection
from erstwhile.storage.columns import to_scope
from erstwhile.storage.erasure import own
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.table import EITHER, kept
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks import transitions
from erstwhile.tasks.checkpoint import (
    MAX_OUTPUT,
    MAX_PHASES,
    Checkpoint,
    CheckpointStatus,
    RunProgress,
)
from erstwhile.tasks.checkpoint_table import CHECKPOINTS, find_run, known_run, own_run, phase_of


class Checkpoints(Collection):
    """How far the runs that this memory's scope can see have come."""

    def plan(self, run: str, *phases: str) -> builtins.list[Checkpoint]:
        """Name the phases of a run in their order. Those that are there stay as they are."""
        name, wanted = _label(run, "run"), [_label(phase, "phase") for phase in phases]
        if not wanted:
            raise InvalidInputError("no phase was named", remedy="name each phase, in order")

        def planned(unit: Unit) -> builtins.list[Checkpoint]:
            known = find_run(unit, name, own(unit), "present")
            for phase in dict.fromkeys(wanted):
                if phase not in {each.phase for each in known}:
                    known.append(_add(unit, known, name, phase, CheckpointStatus.PENDING))
                    unit.tick()
            return known

        return self._access.change(planned)

    def start(self, run: str, phase: str) -> Checkpoint:
        """Begin a phase, or begin it anew after it failed or who worked on it died."""
        name, wanted = _label(run, "run"), _label(phase, "phase")

        def started(unit: Unit) -> Checkpoint:
            known = find_run(unit, name, own(unit), "present")
            begun = CheckpointStatus.IN_PROGRESS
            old = next((each for each in known if each.phase == wanted), None)
            if old is None:
                return _add(unit, known, name, wanted, begun)
            return _store(unit, old, "start", status=begun, attempts=old.attempts + 1)

        return self._access.change(started)

    def save(self, run: str, phase: str, output: str) -> Checkpoint:
        """Keep what a phase in progress has brought so far."""
        brought = _text(output, "output")
        return self._step(run, phase, "save", CheckpointStatus.IN_PROGRESS, output=brought)

    def complete(self, run: str, phase: str, output: str | None = None) -> Checkpoint:
        """A phase in progress is done; without an output, what was saved is kept.

        To say it again changes nothing.
        """
        brought = {} if output is None else {"output": _text(output, "output")}
        return self._step(run, phase, "complete", CheckpointStatus.COMPLETED, **brought, error=None)

    def fail(self, run: str, phase: str, error: str) -> Checkpoint:
        """A phase in progress failed. It can be started again, and keeps what was saved."""
        why = _text(error, "error")
        return self._step(run, phase, "fail", CheckpointStatus.FAILED, error=why)

    def get(self, run: str, phase: str) -> Checkpoint:
        """One phase of a run."""
        name, wanted = _label(run, "run"), _label(phase, "phase")
        return self._access.ask(lambda view: phase_of(known_run(view, name, "present"), wanted))

    def list(self, run: str) -> builtins.list[Checkpoint]:
        """All phases of a run, in order."""
        name = _label(run, "run")
        return self._access.ask(lambda view: known_run(view, name, "present"))

    def resume(self, run: str) -> Checkpoint | None:
        """Where to go on: the first phase that is not completed; None when all are."""
        unfinished = [each for each in self.list(run) if each.status is not _COMPLETED]
        return unfinished[0] if unfinished else None

    def runs(
        self,
        *,
        unfinished: bool = False,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[RunProgress]:
        """Runs by name, with how far each has come."""
        wanted, (after, scope) = checked_limit(limit), _place(cursor)
        asked = {"unfinished": int(unfinished), "after": after, "after_scope": scope}

        def listed(view: View) -> Page[RunProgress]:
            params = {**asked, "limit": wanted + 1}
            rows = view.rows("list_progress", params, kept(deleted))
            runs = tuple(_progress(row) for row in rows[:wanted])
            last = f"{rows[wanted - 1][-1]}.{rows[wanted - 1][0]}" if len(rows) > wanted else None
            return Page(runs, last)

        return self._access.ask(listed)

    def delete(self, run: str, *, reason: str | None = None) -> builtins.list[Checkpoint]:
        """Hide a run from every answer, until it is restored or purged; its name is free again."""
        name, why = _label(run, "run"), checked_reason(reason)

        def deleted(unit: Unit) -> builtins.list[Checkpoint]:
            return [
                CHECKPOINTS.change(unit, each, replace(each, deleted_at=unit.now), "delete", why)
                for each in own_run(unit, name, "present")
            ]

        return self._access.change(deleted)

    def restore(self, run: str, *, reason: str | None = None) -> builtins.list[Checkpoint]:
        """Bring a deleted run back. Refused while there is another of its name."""
        name, why = _label(run, "run"), checked_reason(reason)

        def restored(unit: Unit) -> builtins.list[Checkpoint]:
            hidden = _last_deleted(own_run(unit, name, "deleted"))
            if find_run(unit, name, own(unit), "present"):
                raise ConflictError(
                    f"there is another run {name!r}", remedy="delete or finish that one first"
                )
            return [
                CHECKPOINTS.change(unit, each, replace(each, deleted_at=None), "restore", why)
                for each in hidden
            ]

        return self._access.change(restored)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase what was deleted longer ago than this, in exactly this scope."""
        return CHECKPOINTS.purge(self._access, older_than)

    def erase(self, run: str) -> Receipt:
        """Destroy a run, deleted or not, down to its bytes in the file. There is no undo."""
        name = _label(run, "run")

        def all_of_it(unit: Unit) -> builtins.list[str]:
            there = [kept for kept in EITHER if find_run(unit, name, kept)]
            phases = [own_run(unit, name, kept) for kept in there or ["present"]]
            return [each.id for part in phases for each in part]

        return CHECKPOINTS.erase(self._access, self._access.change(all_of_it))

    def _step(
        self, run: str, phase: str, action: str, status: CheckpointStatus, **told: str | None
    ) -> Checkpoint:
        name, wanted = _label(run, "run"), _label(phase, "phase")

        def stepped(unit: Unit) -> Checkpoint:
            old = phase_of(own_run(unit, name, "present"), wanted)
            if replace(old, status=status, **told) == old and status is _COMPLETED:  # type: ignore[arg-type]
                return old
            return _store(unit, old, action, status=status, **told)

        return self._access.change(stepped)


_COMPLETED = CheckpointStatus.COMPLETED


def _add(
    unit: Unit, known: list[Checkpoint], run: str, phase: str, status: CheckpointStatus
) -> Checkpoint:
    """A phase that comes after those that are known."""
    if len(known) >= MAX_PHASES:
        raise TooLargeError(f"a run has {MAX_PHASES:,} phases at most", remedy="begin another run")
    new = Checkpoint(
        id=new_id(unit.now),
        scope=known[0].scope if known else scope_for_new(unit.viewer, "plan"),
        created_at=unit.now,
        changed_at=unit.now,
        run=run,
        phase=phase,
        position=len(known) + 1,
        status=status,
        attempts=int(status is CheckpointStatus.IN_PROGRESS),
        output=None,
        error=None,
    )
    return CHECKPOINTS.add(unit, new, "plan" if new.attempts == 0 else "start")


def _store(unit: Unit, old: Checkpoint, action: str, **changes: Any) -> Checkpoint:
    """The next state of a phase, if it is a legal one."""
    new = replace(old, **changes)
    name = f"phase {old.phase!r}"
    transitions.check(transitions.CHECKPOINTS, action, old.status, new.status, name)
    return CHECKPOINTS.change(unit, old, new, action)


def _last_deleted(phases: list[Checkpoint]) -> list[Checkpoint]:
    """Of several runs of one name that were deleted, the last."""
    last = max(each.deleted_at for each in phases if each.deleted_at)
    return [each for each in phases if each.deleted_at == last]


def _progress(row: Row) -> RunProgress:
    run, *dimensions, phases, completed, changed_at, _scope = row
    return RunProgress(
        run=run,
        scope=to_scope(*dimensions),
        phases=phases,
        completed=completed,
        changed_at=from_micros(changed_at),
    )


def _place(cursor: str | None) -> tuple[str, int]:
    """Where the page before ended: a run's name, and the number of its scope."""
    if cursor is None:
        return "", 0
    scope, _, run = cursor.partition(".") if isinstance(cursor, str) else ("", "", "")
    if not (scope.isascii() and scope.isdecimal() and len(scope) <= 18):
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return _label(run, "cursor"), int(scope)


def _label(name: str, what: str) -> str:
    return checked_label(name, name=what)


def _text(text: str, what: str) -> str:
    return checked_text(text, name=what, limit=MAX_OUTPUT)
