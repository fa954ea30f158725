"""Checkpoints as rows, and the run that a name means to a viewer."""

from __future__ import annotations

from typing import Any

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ports import Row
from erstwhile.storage.erasure import own
from erstwhile.storage.lookup import owned
from erstwhile.storage.record_table import Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.checkpoint import Checkpoint, CheckpointStatus


def _fields(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "run": checkpoint.run,
        "phase": checkpoint.phase,
        "position": checkpoint.position,
        "status": checkpoint.status,
        "attempts": checkpoint.attempts,
        "output": checkpoint.output,
        "error": checkpoint.error,
    }


def _checkpoint(row: Row, head: dict[str, Any]) -> Checkpoint:
    return Checkpoint(
        run=row[0],
        phase=row[1],
        position=row[2],
        status=CheckpointStatus(row[3]),
        attempts=row[4],
        output=row[5],
        error=row[6],
        **head,
    )


TABLE = Table[Checkpoint](
    noun="checkpoint",
    name="checkpoints",
    adding="add_checkpoint",
    changing="change_checkpoint",
    fields=_fields,
    read=_checkpoint,
)


def find_run(view: View, run: str, *choices: str) -> list[Checkpoint]:
    """The phases of the run that is meant, in order: that of the narrowest scope which has one."""
    scopes = view.rows("scopes_of_run", {"run": run}, *choices)
    if len(scopes) > 1 and view.viewer.everything:
        raise ConflictError(
            f"several scopes have a run {run!r}", remedy="use memory.scoped(…) for one of them"
        )
    if not scopes:
        return []
    where = {"scope": scopes[0][0], "run": run}
    return [TABLE.to_item(row) for row in view.rows("find_phases", where, *choices)]


def known_run(view: View, run: str, *choices: str) -> list[Checkpoint]:
    """The same, of a run that must be there."""
    phases = find_run(view, run, *choices)
    if not phases:
        raise NotFoundError(
            f"no run {run!r} is visible here", remedy="see what is there with `checkpoints.runs`"
        )
    return phases


def own_run(unit: Unit, run: str, kept: str) -> list[Checkpoint]:
    """The same, of a run that this viewer may change: seeing is not owning."""
    phases = find_run(unit, run, own(unit), kept) or known_run(unit, run, kept)
    owned(unit.viewer, phases[0])
    return phases


def phase_of(phases: list[Checkpoint], phase: str) -> Checkpoint:
    found = next((each for each in phases if each.phase == phase), None)
    if found is None:
        raise NotFoundError(
            f"run {phases[0].run!r} has no phase {phase!r}",
            remedy="it has " + ", ".join(each.phase for each in phases[:20]),
        )
    return found
