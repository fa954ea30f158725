"""Destroying records: the rows and what is searched of them, then the bytes they lay in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.receipt import Receipt
from erstwhile.core.time import Moment
from erstwhile.storage import erasure, record_table
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.access import Access
from erstwhile.storage.record_table import Item, Table
from erstwhile.storage.unit import Unit


def erase(access: Access, table: Table[Item], ids: Sequence[str]) -> Receipt:
    if not ids:
        raise InvalidInputError(
            "no id was given", remedy=f"name each {table.noun} that is to be erased"
        )

    def erased(unit: Unit) -> Receipt:
        found = dict(_find(unit, table, given) for given in ids)
        items = [item for item in found.values() if item is not None]
        removed = _destroy(unit, table, items)
        removed["records"] = len(found)  # what was erased before is gone as well
        return erasure.receipt_of(unit.now, list(found), removed)

    receipt = access.change(erased, alone=True)
    erasure.rewrite(access)
    return receipt


def purge(access: Access, table: Table[Item], older_than: Moment | timedelta) -> Receipt:
    def purged(unit: Unit) -> erasure.Destroyed:
        deleted = {"before": erasure.so_long_ago(unit, older_than), "limit": erasure.BATCH}
        rows = unit.rows("deleted_records", deleted, table.name, erasure.own(unit))
        items = [table.to_item(row) for row in rows]
        return unit.now, [item.id for item in items], _destroy(unit, table, items)

    return erasure.receipt_of(*erasure.in_batches(access, purged))


def _find(unit: Unit, table: Table[Item], given: str) -> tuple[str, Item | None]:
    """Deleted or not. What was erased before has only its id left: again is no error."""
    try:
        item = record_table.find_own(unit, table, given, among=record_table.EITHER)
    except NotFoundError:
        before = erasure.erased_before(unit, given)
        if before is None:
            raise
        return before, None
    return item.id, item


def _destroy(unit: Unit, table: Table[Item], items: Sequence[Item]) -> Counter[str]:
    removed = Counter(records=len(items))
    for item in items:
        fulltext.remove(unit, item.id)
        removed["audit_entries"] += table.destroy_parts(unit, item)
        unit.run("remove_record", {"id": item.id}, table.name)
        removed["audit_entries"] += erasure.forget(unit, item.id, item.scope)
    return removed
