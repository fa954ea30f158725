"""The table of decisions. A change writes its row and its audit entry in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from erstwhile.core.errors import ConflictError, CorruptError, RefusedError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Row
from erstwhile.core.scope import PERSON_REMEDY, Scope, Viewer
from erstwhile.decisions.decision import (
    DECISION_ROW,
    OUTCOME_ROW,
    DamagedDecision,
    Decider,
    Decision,
    damaged_decision,
    to_decision,
    to_json,
)
from erstwhile.decisions.draft import DecisionDraft, Digests, compared_text, same_content
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.table import Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

state_of = itemgetter(
    "key", "goal", "goal_digest", "turn", "tool", "input", "digest", "covers", "text", "choice",
    "message", "rationale", "options", "decided_by", "decided_at", "lasts", "transient",
    "recorded_at", "outcome", "outcome_good", "outcome_at", "superseded_by", "superseded_because",
    "deleted_at",
)  # fmt: skip
"""The columns in the audit digest, in the order of the statement `stored_decisions`."""


def to_row(decision: Decision, digests: Digests, scope: int, changed_at: int) -> dict[str, Any]:
    """Return the parameters of the statements `add_decision` and `change_decision`."""
    outcome: dict[str, Any] = dict.fromkeys(("outcome", "outcome_good", "outcome_at"))
    if decision.outcome is not None:
        outcome = OUTCOME_ROW.encode(decision.outcome)
    row = DECISION_ROW.encode(
        decision,
        **outcome,
        scope=scope,
        changed_at=changed_at,
        digest=digests.input,
        goal_digest=digests.goal,
    )
    return {**row, "text": compared_text(decision.tool, row["input"])}


class DecisionTable(Table[Decision]):
    """The table of decisions. Each has a number, under which its vector is stored."""

    noun = "decision"
    name = "decisions"
    counted = "decisions"
    finding = "find_decisions"
    deleting = "deleted_decisions"
    holding = "decisions_within"

    def to_item(self, _view: View, row: Row) -> Decision:
        """Make a decision; a damaged row can still be found, to delete or erase it."""
        try:
            return to_decision(row)
        except CorruptError:
            return damaged_decision(row)

    def get(self, access: Access, id: str) -> Decision:
        found = super().get(access, id)
        if isinstance(found, DamagedDecision):
            raise _damaged(found)
        return found

    def add(self, unit: Unit, draft: DecisionDraft, scope: Scope) -> Decision:
        """Store a decision. If its scope has one with its key, the content must be the same."""
        said, place = draft.decision, unit.scope_id(scope)
        _check_decider(unit.viewer, said)
        unit.admit((said.goal, said.message, said.rationale, *said.options))
        decided_at = said.decided_at or unit.now
        id = new_id(unit.now)
        new = replace(said, id=id, scope=scope, decided_at=decided_at, recorded_at=unit.now)
        [(key,)] = unit.rows("digest_key_of_scope", {"scope": place})
        row = to_row(new, draft.request.digests(key), place, unit.stamp)
        added = unit.rows("add_decision", row)
        if not added:
            return self._stored_already(unit, said, place)
        if new.decided_by != Decider.AGENT:  # what a hook records by itself is found by its words
            unit.run("enqueue", {"seq": -added[0][0], "due_at": unit.stamp})
        unit.record("decision.record", id, scope, None, state_of(row))
        return new

    def with_key(self, unit: Unit, key: str, scope: Scope) -> Decision | None:
        """Return the decision of this scope with the caller's own key."""
        place = {"scope": unit.scope_id(scope), "key": key}
        return next(iter(self.select(unit, "decision_with_key", place)), None)

    def change(
        self, unit: Unit, _old: Decision, new: Decision, action: str, reason: str | None = None
    ) -> Decision:
        if isinstance(new, DamagedDecision):
            raise _damaged(new)
        if new.outcome is not None:
            unit.admit([new.outcome.text])
        [(_, digest, goal)] = unit.rows("number_and_digests", {"id": new.id})
        row = to_row(new, Digests(goal, digest), unit.scope_id(new.scope), unit.stamp)
        unit.run("change_decision", dict(row))
        unit.record(f"decision.{action}", new.id, new.scope, reason, state_of(row))
        return new

    def destroy(self, unit: Unit, items: Sequence[Decision]) -> Counter[str]:
        removed = Counter(decisions=len(items))
        for decision in items:
            [(number, digest, _)] = unit.rows("number_and_digests", {"id": decision.id})
            for statement in ("dequeue", "blank_vectors"):
                unit.run(statement, {"seq": -number})
            blank = "0" * len(to_json(decision.input).encode())
            blanks = {"blank": blank, "no_digest": bytes(len(digest))}
            unit.run("overwrite_decision", {"id": decision.id, **blanks})
            unit.run("remove_decision", {"id": decision.id})
            removed["audit_entries"] += erasure.forget(unit, decision.id, decision.scope)
        return removed

    def _stored_already(self, unit: Unit, draft: Decision, place: int) -> Decision:
        """Return the decision of the scope with the key of the draft, or raise ConflictError."""
        same_key = {"scope": place, "key": draft.key}
        [stored] = self.select(unit, "decision_with_key", same_key)
        if not same_content(stored, draft):
            raise ConflictError(
                f"another decision has the key {draft.key}",
                remedy="leave the key out, or use `decisions.supersede` to replace a decision",
            )
        if stored.deleted_at is not None:
            raise ConflictError(
                f"the decision {stored.id} was deleted", remedy="use `decisions.restore`"
            )
        return stored


DECISIONS = DecisionTable()


def _damaged(decision: Decision) -> CorruptError:
    return CorruptError(
        f"the decision {decision.id} is damaged",
        remedy="remove it with `decisions.erase`, or restore a copy",
    )


def _check_decider(viewer: Viewer, decision: Decision) -> None:
    """Raise RefusedError if an agent decides as a person, or as a rule that a person wrote."""
    if not viewer.person and decision.decided_by not in _AGENT_DECIDERS:
        raise RefusedError(
            f"an agent cannot decide as a {decision.decided_by}",
            remedy=f"say decided_by='agent', or {PERSON_REMEDY}",
        )


_AGENT_DECIDERS = frozenset(("model", "agent", "advice"))
