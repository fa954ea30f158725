"""The table of checkpoints. It finds the run with a name that a viewer can see."""

from __future__ import annotations

from typing import Any

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ports import Row
from erstwhile.storage.erasure import own
from erstwhile.storage.lookup import owned
from erstwhile.storage.record_table import RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.checkpoint import Checkpoint, CheckpointStatus


class CheckpointTable(RecordTable[Checkpoint]):
    """The table of checkpoints: one row for each phase of a run."""

    noun = "checkpoint"
    name = "checkpoints"
    adding = "add_checkpoint"
    changing = "change_checkpoint"

    def fields(self, item: Checkpoint) -> dict[str, Any]:
        return {
            "run": item.run,
            "phase": item.phase,
            "position": item.position,
            "status": item.status,
            "attempts": item.attempts,
            "output": item.output,
            "error": item.error,
        }

    def build(self, row: Row, head: dict[str, Any]) -> Checkpoint:
        run, phase, position, status, attempts, output, error = row
        return Checkpoint(
            run=run,
            phase=phase,
            position=position,
            status=CheckpointStatus(status),
            attempts=attempts,
            output=output,
            error=error,
            **head,
        )


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
