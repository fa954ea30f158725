"""Destroying decisions: by their ids, or by their age."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.receipt import Receipt
from erstwhile.core.time import Moment
from erstwhile.decisions import table as decision_table
from erstwhile.decisions.decision import Decision
from erstwhile.decisions.rows import to_decision
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit


def delete(access: Access, ids: Sequence[str]) -> Receipt:
    if not ids:
        raise InvalidInputError("no id was given", remedy="name each decision that is to go")

    def deleted(unit: Unit) -> Receipt:
        found = {each.id: each for each in (decision_table.find_own(unit, id) for id in ids)}
        return erasure.receipt_of(unit.now, list(found), _destroy(unit, list(found.values())))

    receipt = access.change(deleted, alone=True)
    erasure.rewrite(access)
    return receipt


def prune(access: Access, older_than: Moment | timedelta) -> Receipt:
    def pruned(unit: Unit) -> erasure.Destroyed:
        wanted = {"until": erasure.so_long_ago(unit, older_than), "limit": erasure.BATCH}
        old = [to_decision(row) for row in unit.rows("old_decisions", wanted, erasure.own(unit))]
        return unit.now, [decision.id for decision in old], _destroy(unit, old)

    return erasure.receipt_of(*erasure.in_batches(access, pruned))


def _destroy(unit: Unit, decisions: Sequence[Decision]) -> Counter[str]:
    removed = Counter(decisions=len(decisions))
    for decision in decisions:
        decision_table.remove(unit, decision)
        removed["audit_entries"] += erasure.forget(unit, decision.id, decision.scope)
    return removed
