"""Destroy records: first the rows, then once for all of them their bytes in the file.

A deleted row leaves its text in the file until the place is overwritten. So an erasure overwrites
the row, deletes it with all dependent rows, and lets the engine rewrite the store before it returns
the receipt. Until then the audit entry of an erasure keeps its nonce. If a crash or a
reader cuts an erasure short, the next erasure finishes it.

`erase` and `erase_old` do this for every collection. A collection passes functions that find and
destroy its records. For each record that it destroys, it calls `forget`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ids import id_range
from erstwhile.core.results import Receipt
from erstwhile.core.scope import scope_params, to_scope
from erstwhile.core.time import Moment, parse_age, to_micros
from erstwhile.storage.record import Identified

if TYPE_CHECKING:
    from erstwhile.core.ports import Row
    from erstwhile.core.scope import Scope
    from erstwhile.storage.access import Access
    from erstwhile.storage.unit import Unit
    from erstwhile.storage.view import View

BATCH = 500
Item = TypeVar("Item", bound=Identified)


def erase(
    access: Access,
    given: Sequence[str],
    *,
    noun: str,
    find: Callable[[Unit, str], Sequence[Item]],
    destroy: Callable[[Unit, Sequence[Item]], Counter[str]],
    counted: str | None = None,
    by_id: bool = True,
) -> Receipt:
    """Destroy the records that `find` returns for each given id, in one transaction.

    A record that was erased before is no error: its id is still known, and the receipt names it.
    Pass `by_id=False` if records are given by a name. `counted` is the field of the receipt that
    counts all ids, also the ones erased before.
    """
    if not given:
        given_by = "id" if by_id else "name"
        remedy = f"give the {given_by} of each {noun} to erase"
        raise InvalidInputError(f"no {given_by} was given", remedy=remedy)

    def erased(unit: Unit) -> Receipt:
        items: dict[str, Item] = {}
        ids: dict[str, None] = {}
        for each in given:
            found = _find_or_erased(unit, each, find, by_id)
            items |= {item.id: item for item in found if not isinstance(item, str)}
            ids |= dict.fromkeys(item if isinstance(item, str) else item.id for item in found)
        removed = destroy(unit, list(items.values()))
        if counted is not None:
            removed[counted] = len(ids)
        return Receipt(at=unit.now, ids=tuple(ids), **removed)

    receipt = access.change(erased, alone=True)
    rewrite(access)
    return receipt


def erase_old(
    access: Access,
    older_than: Moment | timedelta,
    *,
    find: Callable[[Unit, dict[str, int]], Sequence[Item]],
    destroy: Callable[[Unit, Sequence[Item]], Counter[str]],
    batch: int = BATCH,
) -> Receipt:
    """Destroy the old records that `find` returns, in batches, so that no transaction is long.

    `find` gets the parameters `before` and `limit` of its statement.
    """

    ids: list[str] = []
    removed: Counter[str] = Counter()

    def erased(unit: Unit) -> tuple[datetime, list[str], Counter[str]]:
        items = find(unit, {"before": oldest(unit, older_than), "limit": batch})
        return unit.now, [item.id for item in items], destroy(unit, items)

    while True:
        now, found, parts = access.change(erased, alone=True)
        ids += found
        removed += parts
        if not found:
            break
    rewrite(access)
    return Receipt(at=now, ids=tuple(ids), **removed)


def oldest(view: View, older_than: Moment | timedelta) -> int:
    """Return the stored form of the time before which a record counts as old."""
    before = parse_age(older_than, now=view.now, name="older_than")
    if before > view.now:
        raise InvalidInputError("older_than lies in the future", remedy="give an age: '30 days'")
    return to_micros(before)


def forget(unit: Unit, id: str, scope: Scope) -> int:
    """Blank the audit entries of a record and add one for its erasure; return their number."""
    emptied = blank(unit, id, scope)
    unit.record("erase", id, scope, None)
    return emptied


def blank(unit: Unit, id: str, scope: Scope) -> int:
    """Remove the content of a record from the audit trail of its scope."""
    return unit.run("blank_entries", {"subject": id, "scope": unit.scope_id(scope)})


def destroy_records(
    unit: Unit, table: str, rows: Sequence[Row], removed: Counter[str], counted: str = "records"
) -> None:
    """Destroy records of a table that have no parts; a row has an id and a scope."""
    for id, *dimensions in rows:
        scope = to_scope(*dimensions)
        unit.run("remove_row", {"id": id, "scope": unit.scope_id(scope)}, table)
        removed[counted] += 1
        removed["audit_entries"] += forget(unit, id, scope)


def destroyer(table: str) -> Callable[[Unit, Sequence[Item]], Counter[str]]:
    """Return the function that destroys records of a table without parts."""

    def destroy(unit: Unit, items: Sequence[Item]) -> Counter[str]:
        removed: Counter[str] = Counter()
        rows = [(item.id, *scope_params(item.scope).values()) for item in items]
        destroy_records(unit, table, rows, removed, table)
        return removed

    return destroy


def own(view: View) -> str:
    """Return the choice of scopes to change: all for an administrator, else the viewer's own."""
    return "everything" if view.viewer.everything else "own"


def rewrite(access: Access) -> None:
    """Rewrite the store, only if there was an erasure since the last time: it can take long."""
    [(newest,)] = access.ask(lambda view: view.rows("unfinished_erasures", {}))
    if newest is not None:
        access.change(_forget_copies)
        access.engine.compact()
        access.change(lambda unit: unit.run("finish_erasures", {"newest": newest}))


def _forget_copies(unit: Unit) -> None:
    """Remove what repeats the texts of records: terms of the index, and answers to requests."""
    unit.run("forget_terms", {})
    unit.run("forget_answers", {})


def _find_or_erased(
    unit: Unit, given: str, find: Callable[[Unit, str], Sequence[Item]], by_id: bool
) -> Sequence[Item | str]:
    """Find records, or the id of the one erased record that starts with `given`."""
    try:
        return find(unit, given)
    except NotFoundError:
        if not by_id:
            raise
        lowest, highest = id_range(given)
        rows = unit.rows("erased_before", {"lowest": lowest, "highest": highest}, own(unit))
        if len(rows) != 1:
            raise
        return [str(rows[0][0])]
