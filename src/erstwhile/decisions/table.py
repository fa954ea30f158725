"""The table of decisions. A change writes its row and its audit entry in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from erstwhile.core.errors import ConflictError
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.decisions.decision import Decision
from erstwhile.decisions.draft import same_content
from erstwhile.decisions.rows import state_of, to_decision, to_row
from erstwhile.decisions.tool_input import to_json
from erstwhile.storage import erasure
from erstwhile.storage.table import EITHER, Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class DecisionTable(Table[Decision]):
    """The table of decisions. Each has a number, under which its vector is stored."""

    noun = "decision"
    name = "decisions"
    counted = "decisions"
    finding = "find_decisions"
    deleting = "deleted_decisions"

    def to_item(self, _view: View, row: Row) -> Decision:
        return to_decision(row)

    def add(self, unit: Unit, draft: Decision, scope: Scope) -> Decision:
        """Store a decision. If its id is stored already, the content must be the same."""
        decided_at = draft.decided_at or unit.now
        new = replace(draft, scope=scope, decided_at=decided_at, recorded_at=unit.now)
        row = to_row(new, unit.scope_id(scope), unit.stamp)
        added = unit.rows("add_decision", row)
        if not added:
            return self._stored_already(unit, draft, scope)
        unit.run("enqueue", {"seq": -added[0][0], "due_at": unit.stamp})
        unit.record("decision.record", new.id, scope, None, state_of(row))
        return new

    def change(
        self, unit: Unit, _old: Decision, new: Decision, action: str, reason: str | None = None
    ) -> Decision:
        row = to_row(new, unit.scope_id(new.scope), unit.stamp)
        unit.run("change_decision", dict(row))
        unit.record(f"decision.{action}", new.id, new.scope, reason, state_of(row))
        return new

    def destroy(self, unit: Unit, items: Sequence[Decision]) -> Counter[str]:
        removed = Counter(decisions=len(items))
        for decision in items:
            [(number,)] = unit.rows("number_of_decision", {"id": decision.id})
            for statement in ("dequeue", "blank_vectors"):
                unit.run(statement, {"seq": -number})
            blank = "0" * len(to_json(decision.input).encode())
            unit.run("overwrite_decision", {"id": decision.id, "blank": blank})
            unit.run("remove_decision", {"id": decision.id})
            removed["audit_entries"] += erasure.forget(unit, decision.id, decision.scope)
        return removed

    def _stored_already(self, unit: Unit, draft: Decision, scope: Scope) -> Decision:
        """Return the stored decision with the id of the draft, or raise ConflictError."""
        stored = next(iter(self.starting_with(unit, draft.id, EITHER)), None)
        if stored is None or stored.scope != scope or not same_content(stored, draft):
            raise ConflictError(
                f"another decision has the id {draft.id}",
                remedy="leave the id out, or use `decisions.supersede` to replace a decision",
            )
        if stored.deleted_at is not None:
            raise ConflictError(
                f"the decision {draft.id} was deleted", remedy="use `decisions.restore`"
            )
        return stored


DECISIONS = DecisionTable()
