"""Destroying decisions: by their ids, or by their age."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.model.erasure import Receipt
from recollect.model.errors import InvalidInputError
from recollect.model.time import Moment, parse_age, to_micros
from recollect.store import decision_table
from recollect.store.access import Access
from recollect.store.decision_rows import to_decision
from recollect.store.erasure import own, rewrite
from recollect.store.unit import Unit

_BATCH = 500


def delete(access: Access, ids: Sequence[str]) -> Receipt:
    if not ids:
        raise InvalidInputError("no id was given", remedy="name each decision that is to go")

    def deleted(unit: Unit) -> Receipt:
        found = {each.id: each for each in (decision_table.find_own(unit, id) for id in ids)}
        blanked = sum(decision_table.destroy(unit, decision) for decision in found.values())
        return _receipt(unit.now, list(found), blanked)

    receipt = access.change(deleted)
    rewrite(access)
    return receipt


def prune(access: Access, older_than: Moment | timedelta) -> Receipt:
    """In batches, so that no transaction is long; the store is rewritten once, at the end."""
    ids: list[str] = []
    blanked = 0
    while True:
        found, entries, now = access.change(lambda unit: _prune_batch(unit, older_than))
        ids += found
        blanked += entries
        if len(found) < _BATCH:
            break
    rewrite(access)
    return _receipt(now, ids, blanked)


def _prune_batch(unit: Unit, older_than: Moment | timedelta) -> tuple[list[str], int, datetime]:
    before = parse_age(older_than, now=unit.now, name="older_than")
    if before > unit.now:
        raise InvalidInputError("older_than lies in the future", remedy="give an age: '90 days'")
    wanted = {"until": to_micros(before), "limit": _BATCH}
    old = [to_decision(row) for row in unit.rows("old_decisions", wanted, own(unit))]
    blanked = sum(decision_table.destroy(unit, decision) for decision in old)
    return [decision.id for decision in old], blanked, unit.now


def _receipt(at: datetime, ids: list[str], blanked: int) -> Receipt:
    return Receipt(at=at, ids=tuple(ids), decisions=len(ids), audit_entries=blanked)
