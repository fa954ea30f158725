"""Destroy records for good: the rows first, then, once for all of them, the bytes they lay in.

Deleting a row leaves its text in the file until something is written over it. So an erasure writes
over the row, deletes it with all that hangs on it, and has the engine rewrite the store before the
receipt is given. Until that is done, the audit entry of an erasure keeps its nonce: one that was
cut short, by a crash or by somebody who was reading, is finished by the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import id_range
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.scope import Scope
from erstwhile.core.time import Moment, parse_age, to_micros
from erstwhile.storage.access import Access
from erstwhile.storage.columns import to_scope
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

BATCH = 500
Destroyed: TypeAlias = tuple[datetime, list[str], Counter[str]]
"""When, which ids, and how many of each part went with them."""


def in_batches(access: Access, batch: Callable[[Unit], Destroyed]) -> Destroyed:
    """Destroy until nothing is left to, in batches, so that no transaction is long.

    The store is rewritten once, at the end.
    """
    ids: list[str] = []
    removed: Counter[str] = Counter()
    while True:
        now, found, parts = access.change(batch, alone=True)
        ids += found
        removed += parts
        if not found:
            break
    rewrite(access)
    return now, ids, removed


def forget(unit: Unit, id: str, scope: Scope) -> int:
    """Let the trail say that a record was erased, and no more; how many entries were emptied."""
    emptied = unit.run("blank_entries", {"subject": id})
    unit.record("erase", id, scope, None)
    return emptied


def erased_before(unit: Unit, given: str) -> str | None:
    """The id of what was erased from here before, if just one begins so."""
    lowest, highest = id_range(given)
    rows = unit.rows("erased_before", {"lowest": lowest, "highest": highest}, own(unit))
    return str(rows[0][0]) if len(rows) == 1 else None


def so_long_ago(unit: Unit, older_than: Moment | timedelta) -> int:
    """The moment before which things are old enough to be destroyed."""
    before = parse_age(older_than, now=unit.now, name="older_than")
    if before > unit.now:
        raise InvalidInputError("older_than lies in the future", remedy="give an age: '30 days'")
    return to_micros(before)


def destroy_records(unit: Unit, table: str, rows: Sequence[Row], removed: Counter[str]) -> None:
    """Destroy the records that tell of what is being erased; a row has an id, and its scope."""
    for id, *dimensions in rows:
        unit.run("remove_record", {"id": id}, table)
        removed["records"] += 1
        removed["audit_entries"] += forget(unit, id, to_scope(*dimensions))


def own(view: View) -> str:
    """Whose records may be destroyed: those of exactly this scope, or an administrator's all."""
    return "everything" if view.viewer.everything else "own"


def rewrite(access: Access) -> None:
    """Only if there was an erasure since the last time: a large store takes a while."""
    [(newest,)] = access.ask(lambda view: view.rows("unfinished_erasures", {}))
    if newest is not None:
        access.change(lambda unit: unit.run("forget_terms", {}, "facts"))
        access.change(lambda unit: unit.run("forget_terms", {}, "records"))
        access.engine.compact()
        access.change(lambda unit: unit.run("finish_erasures", {"newest": newest}))


def receipt_of(at: datetime, ids: Sequence[str], removed: Counter[str]) -> Receipt:
    return Receipt(at=at, ids=tuple(ids), **removed)
