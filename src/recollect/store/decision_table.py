"""Decisions as rows: finding one by its id, adding, changing and destroying it.

Each change is on the audit trail of its scope, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.model.audit import digest
from recollect.model.decision import Decision
from recollect.model.decision_draft import same_content
from recollect.model.decision_input import written
from recollect.model.errors import AmbiguousIdError, ConflictError, NotFoundError, ScopeError
from recollect.model.ids import id_range
from recollect.model.scope import Scope
from recollect.ports import Row
from recollect.store.decision_rows import state_of, to_decision, to_row
from recollect.store.unit import Unit
from recollect.store.view import View

ACTIONS = "decision."
"""How the audit trail's words for what is done to decisions begin."""


def find(view: View, given: str) -> Decision:
    """The one visible decision with this id, or whose id begins so."""
    found = [row for _, row in _beginning(view, given)]
    if len(found) > 1:
        raise AmbiguousIdError(given, tuple(decision.id for decision in found))
    if not found:
        raise NotFoundError(
            f"no decision {given!r} is visible here", remedy="see them with `decisions.list`"
        )
    return found[0]


def find_own(unit: Unit, given: str) -> Decision:
    """The same, of a decision that this viewer may change: seeing is not owning."""
    decision = find(unit, given)
    if not unit.viewer.may_change(decision.scope):
        raise ScopeError(
            f"{decision.short_id} is visible here but belongs to another scope ({decision.scope})",
            remedy="change it from exactly that scope",
        )
    return decision


def record(unit: Unit, said: Decision) -> Decision:
    if unit.viewer.everything:
        raise ScopeError(
            "an administrator's view has no scope to record a decision in",
            remedy="use memory.scoped(…)",
        )
    return add(unit, said, unit.viewer.scope)


def add(unit: Unit, said: Decision, scope: Scope) -> Decision:
    """Store a decision; one that is there under the same id must say the same."""
    new = replace(said, scope=scope, decided_at=said.decided_at or unit.now, recorded_at=unit.now)
    row = to_row(new, unit.scope_id(scope), unit.stamp)
    added = unit.rows("add_decision", row)
    if not added:
        return _there_already(unit, said, scope)
    unit.run("enqueue", {"seq": -added[0][0], "due_at": unit.stamp})
    unit.record(f"{ACTIONS}record", new.id, scope, None, state_of(row))
    return new


def change(unit: Unit, new: Decision, *, action: str, reason: str | None) -> Decision:
    row = to_row(new, unit.scope_id(new.scope), unit.stamp)
    unit.run("change_decision", dict(row))
    unit.record(f"{ACTIONS}{action}", new.id, new.scope, reason, state_of(row))
    return new


def destroy(unit: Unit, decision: Decision) -> int:
    """Leave nothing of it but its id on the trail; how many entries lost their words."""
    [(number, _)] = _beginning(unit, decision.id)
    for statement in ("dequeue", "blank_vectors"):
        unit.run(statement, {"seq": -number})
    blank = "0" * len(written(decision.input).encode())
    unit.run("overwrite_decision", {"id": decision.id, "blank": blank})
    unit.run("remove_decision", {"id": decision.id})
    blanked = unit.run("blank_entries", {"subject": decision.id})
    unit.record("erase", decision.id, decision.scope, None)
    return blanked


def check(view: View, scope: int, told: dict[tuple[str, int], Row]) -> tuple[int, list[str]]:
    """Compare the decisions of a scope with its trail: how many there are, and what is wrong."""
    rows = view.rows("stored_decisions", {"scope": scope})
    problems = [problem for row in rows for problem in _compare(row, told)]
    there = {row[0] for row in rows}
    gone = {subject for (subject, _), entry in told.items() if entry[3] == "erase"}
    recorded = {subject for (subject, _), entry in told.items() if entry[3].startswith(ACTIONS)}
    lost = sorted(recorded - there - gone)
    return len(rows), problems + [f"decision {id} has disappeared" for id in lost]


def _compare(row: Row, told: dict[tuple[str, int], Row]) -> Iterable[str]:
    id, changed_at, *state = row
    entry = told.get((id, changed_at))
    if entry is None:
        yield f"decision {id} has a state that no entry tells of"
    elif entry[6] is None or digest(entry[6], entry[5], state) != entry[7]:
        yield f"decision {id} was changed behind the trail"


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
