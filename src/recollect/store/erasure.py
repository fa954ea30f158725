"""Destroying facts: the rows first, then, once for all of them, the bytes they lay in.

Deleting a row leaves its text in the file until something is written over it. So an erasure writes
over the row, deletes it with all that hangs on it, and has the engine rewrite the store before the
receipt is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.model.erasure import Receipt
from recollect.model.errors import InvalidInputError, NotFoundError
from recollect.model.fact import Fact
from recollect.model.time import Moment, parse_age, to_micros
from recollect.store import fact_table
from recollect.store.access import Access
from recollect.store.fact_rows import to_fact
from recollect.store.unit import Unit

_BATCH = 500
_PARTS = (
    ("remove_versions", "versions"),
    ("remove_tags", "tags"),
    ("remove_relations", "relations"),
    ("remove_mentions", "mentions"),
)


def erase(access: Access, ids: Sequence[str]) -> Receipt:
    if not ids:
        raise InvalidInputError("no id was given", remedy="name each fact that is to be erased")

    def erased(unit: Unit) -> Receipt:
        facts = {fact.id: fact for fact in (_find(unit, given) for given in ids)}
        return _receipt(unit.now, list(facts), _destroy(unit, list(facts.values())))

    receipt = access.change(erased)
    access.engine.compact()
    return receipt


def purge(access: Access, older_than: Moment | timedelta) -> Receipt:
    """In batches, so that no transaction is long; the store is rewritten once, at the end."""
    ids: list[str] = []
    removed: Counter[str] = Counter()
    while True:
        found, parts, now = access.change(lambda unit: _purge_batch(unit, older_than))
        ids += found
        removed += parts
        if len(found) < _BATCH:
            break
    if ids:
        access.engine.compact()
    return _receipt(now, ids, removed)


def _purge_batch(
    unit: Unit, older_than: Moment | timedelta
) -> tuple[list[str], Counter[str], datetime]:
    before = parse_age(older_than, now=unit.now, name="older_than")
    own = "everything" if unit.viewer.everything else "own"
    rows = unit.rows("find_deleted", {"before": to_micros(before), "limit": _BATCH}, own)
    facts = [to_fact(row) for row in rows]
    return [fact.id for fact in facts], _destroy(unit, facts), unit.now


def _find(unit: Unit, given: str) -> Fact:
    """Deleted or not: both can be erased."""
    try:
        return fact_table.find_own(unit, given)
    except NotFoundError:
        return fact_table.find_own(unit, given, deleted=True)


def _destroy(unit: Unit, facts: list[Fact]) -> Counter[str]:
    removed: Counter[str] = Counter()
    for fact in facts:
        unit.run("overwrite_fact", {"id": fact.id, "blank": "0" * len(fact.text.encode())})
        for statement, part in _PARTS:
            removed[part] += unit.run(statement, {"id": fact.id})
        unit.run("remove_fact", {"id": fact.id})
        removed["audit_entries"] += unit.run("blank_entries", {"subject": fact.id})
        unit.record("erase", fact.id, fact.scope, None)
    for (entity,) in unit.rows("orphaned_entities", {}):
        unit.run("remove_names", {"id": entity})
        removed["entities"] += unit.run("remove_entity", {"id": entity})
    return removed


def _receipt(at: datetime, ids: list[str], removed: Counter[str]) -> Receipt:
    return Receipt(at=at, ids=tuple(ids), **removed)
