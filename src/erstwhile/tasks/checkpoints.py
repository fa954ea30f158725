"""The collection `memory.checkpoints`: the progress of runs with several phases.

The caller names a run, in one scope. Its phases are in the order in which they were first named.
The output of a phase is kept until another one replaces it.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, TooLargeError
from erstwhile.core.ids import new_id
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import Page, Receipt, checked_limit, cut_page
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_label, checked_name, checked_reason, checked_text
from erstwhile.core.time import Moment
from erstwhile.storage import erasure
from erstwhile.storage.columns import RowType
from erstwhile.storage.erasure import own
from erstwhile.storage.record import Collection, Record, owned, scope_for_new
from erstwhile.storage.table import EITHER, RecordTable, kept
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.transitions import Transition, check_transition

MAX_OUTPUT = 1_000_000
MAX_PHASES = 1_000


class CheckpointStatus(StrEnum):
    """The status of a phase."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


@public_record
class Checkpoint(Record):
    """One phase of a run; `changed_at` is the time of its last change."""

    _shown = ("short_id", "run", "phase", "status")
    run: str
    phase: str
    position: int
    """The first phase has position 1."""
    status: CheckpointStatus
    attempts: int
    """The number of times that it was started."""
    output: str | None = None
    """The last output; an update without an output keeps it."""
    error: str | None = None
    """The error of the last failure; None once it is completed."""


@public_record
class RunProgress(PublicRecord):
    """The progress of a run: how many phases it has, and how many are completed."""

    run: str
    scope: Scope
    phases: int
    completed: int
    changed_at: datetime

    @property
    def done(self) -> bool:
        """Whether all phases are completed."""
        return self.completed == self.phases


class CheckpointTable(RecordTable[Checkpoint]):
    """The table of checkpoints: one row for each phase of a run."""

    noun = "checkpoint"
    name = "checkpoints"
    row_type = RowType(Checkpoint, "checkpoint")


CHECKPOINTS = CheckpointTable()


def find_run(view: View, run: str, *choices: str) -> list[Checkpoint]:
    """Return the phases of a run in order, from the narrowest visible scope that has it."""
    scopes = view.rows("scopes_of_run", {"run": run}, *choices)
    if len(scopes) > 1 and view.viewer.everything:
        raise ConflictError(
            f"several scopes have a run {run!r}", remedy="use memory.scoped(…) for one of them"
        )
    if not scopes:
        return []
    where = {"scope": scopes[0][0], "run": run}
    return CHECKPOINTS.select(view, "find_phases", where, *choices)


def get_run(view: View, run: str, *choices: str) -> list[Checkpoint]:
    """Return the phases of a run, or raise NotFoundError."""
    phases = find_run(view, run, *choices)
    if not phases:
        raise NotFoundError(
            f"no run {run!r} is visible here", remedy="list the runs with `checkpoints.runs`"
        )
    return phases


def own_run(unit: Unit, run: str, kept: str) -> list[Checkpoint]:
    """Return the phases of a run that this viewer may change, or raise ScopeError."""
    phases = find_run(unit, run, own(unit), kept) or get_run(unit, run, kept)
    owned(unit.viewer, phases[0])
    return phases


def phase_of(phases: list[Checkpoint], phase: str) -> Checkpoint:
    """Return one phase of a run, or raise NotFoundError."""
    found = next((each for each in phases if each.phase == phase), None)
    if found is None:
        raise NotFoundError(
            f"run {phases[0].run!r} has no phase {phase!r}",
            remedy="it has " + ", ".join(each.phase for each in phases[:20]),
        )
    return found


class Checkpoints(Collection):
    """The progress of the runs that this memory's scope can see."""

    def plan(self, run: str, *phases: str) -> builtins.list[Checkpoint]:
        """Name the phases of a run in their order. Phases that exist stay as they are."""
        name = checked_name(run, name="run")
        names = [checked_name(phase, name="phase") for phase in phases]
        if not names:
            raise InvalidInputError("no phase is given", remedy="name each phase, in order")

        def plan(unit: Unit) -> builtins.list[Checkpoint]:
            known = find_run(unit, name, own(unit), "present")
            for phase in dict.fromkeys(names):
                if phase not in {each.phase for each in known}:
                    known.append(_add(unit, known, name, phase, CheckpointStatus.PENDING))
                    unit.tick()
            return known

        return self._access.change(plan)

    def start(self, run: str, phase: str) -> Checkpoint:
        """Start a phase, or start it again after it failed or its worker died."""
        name, phase_name = checked_name(run, name="run"), checked_name(phase, name="phase")

        def start(unit: Unit) -> Checkpoint:
            known = find_run(unit, name, own(unit), "present")
            old = next((each for each in known if each.phase == phase_name), None)
            if old is None:
                return _add(unit, known, name, phase_name, _IN_PROGRESS)
            return _transition(unit, old, "start", _IN_PROGRESS, attempts=old.attempts + 1)

        return self._access.change(start)

    def save(self, run: str, phase: str, output: str) -> Checkpoint:
        """Store the output so far of a phase in progress."""
        text = _checked_output(output, "output")
        return self._step(run, phase, "save", _IN_PROGRESS, output=text)

    def complete(self, run: str, phase: str, output: str | None = None) -> Checkpoint:
        """Complete a phase in progress. Without an output, the saved output is kept.

        Completing it again changes nothing.
        """
        text = {} if output is None else {"output": _checked_output(output, "output")}
        return self._step(run, phase, "complete", _COMPLETED, **text, error=None)

    def record(self, run: str, phase: str, output: str) -> Checkpoint:
        """Store a phase as completed in one step. The output of a known phase is replaced."""
        name, phase_name = checked_name(run, name="run"), checked_name(phase, name="phase")
        text = _checked_output(output, "output")

        def record(unit: Unit) -> Checkpoint:
            known = find_run(unit, name, own(unit), "present")
            old = next((each for each in known if each.phase == phase_name), None)
            if old is None:
                return _add(unit, known, name, phase_name, _COMPLETED, text)
            new = replace(old, status=_COMPLETED, output=text, error=None)
            return old if new == old else CHECKPOINTS.change(unit, old, new, "complete")

        return self._access.change(record)

    def fail(self, run: str, phase: str, error: str) -> Checkpoint:
        """End a phase in progress as failed. It can be started again and keeps its output."""
        why = _checked_output(error, "error")
        return self._step(run, phase, "fail", CheckpointStatus.FAILED, error=why)

    def get(self, run: str, phase: str) -> Checkpoint:
        """Return one phase of a run."""
        name, phase_name = checked_name(run, name="run"), checked_name(phase, name="phase")
        return self._access.ask(lambda view: phase_of(get_run(view, name, "present"), phase_name))

    def list(self, run: str) -> builtins.list[Checkpoint]:
        """Return all phases of a run in order."""
        name = checked_name(run, name="run")
        return self._access.ask(lambda view: get_run(view, name, "present"))

    def resume(self, run: str) -> Checkpoint | None:
        """Return the first phase that is not completed, or None if all phases are completed."""
        return next((each for each in self.list(run) if each.status is not _COMPLETED), None)

    def runs(
        self,
        *,
        prefix: str | None = None,
        unfinished: bool = False,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[RunProgress]:
        """List runs by name, with their progress; `prefix` limits the names."""
        size, (after, scope) = checked_limit(limit), _position(cursor)
        begin = None if prefix is None else checked_label(prefix, name="prefix")
        filters = {
            "unfinished": int(bool(unfinished)),
            "after": after,
            "after_scope": scope,
            "prefix": begin,
            "length": len(begin or ""),
        }

        def listed(view: View) -> Page[RunProgress]:
            params = {**filters, "limit": size + 1}
            rows = view.rows("list_progress", params, kept(deleted))
            page = cut_page(rows, size, lambda row: f"{row[-1]}.{row[0]}")
            return Page(tuple(_progress(row) for row in page), page.next)

        return self._access.ask(listed)

    def delete(self, run: str, *, reason: str | None = None) -> builtins.list[Checkpoint]:
        """Hide a run until it is restored or purged. Its name can be used again."""
        name, why = checked_name(run, name="run"), checked_reason(reason)

        def delete(unit: Unit) -> builtins.list[Checkpoint]:
            return _change_deleted(unit, own_run(unit, name, "present"), "delete", why)

        return self._access.change(delete)

    def restore(self, run: str, *, reason: str | None = None) -> builtins.list[Checkpoint]:
        """Restore a deleted run. Refused while another run has its name."""
        name, why = checked_name(run, name="run"), checked_reason(reason)

        def restore(unit: Unit) -> builtins.list[Checkpoint]:
            deleted = own_run(unit, name, "deleted")
            last = max(each.deleted_at for each in deleted if each.deleted_at)
            hidden = [each for each in deleted if each.deleted_at == last]
            if find_run(unit, name, own(unit), "present"):
                raise ConflictError(
                    f"there is another run {name!r}", remedy="delete or finish that run first"
                )
            return _change_deleted(unit, hidden, "restore", why)

        return self._access.change(restore)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the runs of exactly this scope deleted longer ago than `older_than`."""
        return CHECKPOINTS.purge(self._access, older_than)

    def erase(self, run: str) -> Receipt:
        """Destroy a run, deleted or not, down to its bytes in the file. There is no undo."""
        name = checked_name(run, name="run")

        def find(unit: Unit, name: str) -> builtins.list[Checkpoint]:
            found = [kept for kept in EITHER if find_run(unit, name, kept)]
            return [each for kept in found or ["present"] for each in own_run(unit, name, kept)]

        return erasure.erase(
            self._access, [name], noun="run", find=find, destroy=CHECKPOINTS.destroy, by_id=False
        )

    def _step(
        self, run: str, phase: str, action: str, status: CheckpointStatus, **fields: str | None
    ) -> Checkpoint:
        """Change a phase of a run, unless it is completed and would stay the same."""
        name, phase_name = checked_name(run, name="run"), checked_name(phase, name="phase")

        def step(unit: Unit) -> Checkpoint:
            old = phase_of(own_run(unit, name, "present"), phase_name)
            if replace(old, status=status, **fields) == old and status is _COMPLETED:  # type: ignore[arg-type]
                return old
            return _transition(unit, old, action, status, **fields)

        return self._access.change(step)


_COMPLETED = CheckpointStatus.COMPLETED
_IN_PROGRESS = CheckpointStatus.IN_PROGRESS
TRANSITIONS: Mapping[str, Transition[CheckpointStatus]] = {
    # A phase may be in progress already: its worker died, and another attempt begins.
    "start": Transition(
        (CheckpointStatus.PENDING, _IN_PROGRESS, CheckpointStatus.FAILED), (_IN_PROGRESS,)
    ),
    "save": Transition((_IN_PROGRESS,), (_IN_PROGRESS,)),
    "complete": Transition((_IN_PROGRESS,), (CheckpointStatus.COMPLETED,)),
    "fail": Transition((_IN_PROGRESS,), (CheckpointStatus.FAILED,)),
}


_ADDED = {CheckpointStatus.PENDING: "plan", _IN_PROGRESS: "start", _COMPLETED: "complete"}
"""The action in the audit trail for a new phase."""


def _add(
    unit: Unit,
    known: list[Checkpoint],
    run: str,
    phase: str,
    status: CheckpointStatus,
    output: str | None = None,
) -> Checkpoint:
    """Add a phase after the known ones."""
    if len(known) >= MAX_PHASES:
        raise TooLargeError(f"a run has at most {MAX_PHASES:,} phases", remedy="start another run")
    new = Checkpoint(
        id=new_id(unit.now),
        scope=known[0].scope if known else scope_for_new(unit.viewer, "plan"),
        created_at=unit.now,
        changed_at=unit.now,
        run=run,
        phase=phase,
        position=len(known) + 1,
        status=status,
        attempts=int(status is not CheckpointStatus.PENDING),
        output=output,
    )
    return CHECKPOINTS.add(unit, new, _ADDED[status])


def _transition(
    unit: Unit, old: Checkpoint, action: str, status: CheckpointStatus, **changes: Any
) -> Checkpoint:
    """Store the next state of a phase, if the transition is legal."""
    check_transition(TRANSITIONS, action, old.status, status, f"phase {old.phase!r}")
    return CHECKPOINTS.change(unit, old, replace(old, status=status, **changes), action)


def _change_deleted(
    unit: Unit, phases: list[Checkpoint], action: str, reason: str | None
) -> list[Checkpoint]:
    """Delete or restore the phases of a run."""
    at = unit.now if action == "delete" else None
    return [
        CHECKPOINTS.change(unit, each, replace(each, deleted_at=at), action, reason)
        for each in phases
    ]


_progress = RowType(RunProgress, "run").decode


def _position(cursor: str | None) -> tuple[str, int]:
    """Return the end of the previous page: the name of a run, and the number of its scope."""
    if cursor is None:
        return "", 0
    scope, _, run = cursor.partition(".") if isinstance(cursor, str) else ("", "", "")
    if not (scope.isascii() and scope.isdecimal() and len(scope) <= 18):
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return checked_name(run, name="cursor"), int(scope)


def _checked_output(text: str, what: str) -> str:
    return checked_text(text, name=what, limit=MAX_OUTPUT)
