"""Decisions as rows: finding one by its id, adding, changing and removing it.

Each change is on the audit trail of its scope, in the same transaction.
"""

from __future__ import annotations

from dataclasses import replace

from erstwhile.core.errors import ConflictError
from erstwhile.core.ids import id_range
from erstwhile.core.scope import Scope
from erstwhile.decisions.decision import Decision
from erstwhile.decisions.draft import same_content
from erstwhile.decisions.rows import state_of, to_decision, to_row
from erstwhile.decisions.tool_input import written
from erstwhile.storage.lookup import owned, scope_for_new, the_one
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


def find(view: View, given: str) -> Decision:
    """The one visible decision with this id, or whose id begins so."""
    found = [decision for _, decision in _beginning(view, given)]
    return the_one(found, "decision", given, remedy="see them with `decisions.list`")


def find_own(unit: Unit, given: str) -> Decision:
    """The same, of a decision that this viewer may change: seeing is not owning."""
    return owned(unit.viewer, find(unit, given))


def record(unit: Unit, said: Decision) -> Decision:
    return add(unit, said, scope_for_new(unit.viewer, "record a decision"))


def add(unit: Unit, said: Decision, scope: Scope) -> Decision:
    """Store a decision; one that is there under the same id must say the same."""
    new = replace(said, scope=scope, decided_at=said.decided_at or unit.now, recorded_at=unit.now)
    row = to_row(new, unit.scope_id(scope), unit.stamp)
    added = unit.rows("add_decision", row)
    if not added:
        return _there_already(unit, said, scope)
    unit.run("enqueue", {"seq": -added[0][0], "due_at": unit.stamp})
    unit.record("decision.record", new.id, scope, None, state_of(row))
    return new


def change(unit: Unit, new: Decision, *, action: str, reason: str | None) -> Decision:
    row = to_row(new, unit.scope_id(new.scope), unit.stamp)
    unit.run("change_decision", dict(row))
    unit.record(f"decision.{action}", new.id, new.scope, reason, state_of(row))
    return new


def remove(unit: Unit, decision: Decision) -> None:
    """Leave nothing of it but what the trail says."""
    [(number, _)] = _beginning(unit, decision.id)
    for statement in ("dequeue", "blank_vectors"):
        unit.run(statement, {"seq": -number})
    blank = "0" * len(written(decision.input).encode())
    unit.run("overwrite_decision", {"id": decision.id, "blank": blank})
    unit.run("remove_decision", {"id": decision.id})


def _there_already(unit: Unit, said: Decision, scope: Scope) -> Decision:
    stored = [found for _, found in _beginning(unit, said.id)]
    if not stored or stored[0].scope != scope or not same_content(stored[0], said):
        raise ConflictError(
            f"another decision has the id {said.id}",
            remedy="leave the id out, or use `decisions.supersede` to replace a decision",
        )
    return stored[0]


def _beginning(view: View, given: str) -> list[tuple[int, Decision]]:
    lowest, highest = id_range(given)
    rows = view.rows("find_decisions", {"lowest": lowest, "highest": highest})
    return [(row[0], to_decision(row)) for row in rows]
