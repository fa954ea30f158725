"""Records of an agent's work as rows: finding one, adding one, changing one, hiding one.

Outcomes, lessons, observations, limitations, usage, attempts and conflicts are written here and
nowhere else, so that the row, what is searched of it and the audit entry are always written
together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from erstwhile.core.errors import BusyError
from erstwhile.core.ids import HIGHEST, id_range, new_id
from erstwhile.core.page import Page, checked_limit, page_by_id
from erstwhile.core.ports import Params, Row
from erstwhile.core.text import checked_reason
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage import columns
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.access import Access
from erstwhile.storage.columns import to_scope
from erstwhile.storage.lookup import owned, scope_for_new, the_one
from erstwhile.storage.record import Record
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

Item = TypeVar("Item", bound=Record)

PRESENT = ("present",)
DELETED = ("deleted",)
EITHER = PRESENT + DELETED


@dataclass(frozen=True, kw_only=True)
class Table(Generic[Item]):
    """How records of one kind are stored."""

    noun: str
    """What one is called, in messages and in the audit trail."""
    name: str
    """Chooses the fragments of records.sql; also the name of the collection."""
    listed: str = ""
    """The call that lists them, if it is not the collection's `list`."""
    adding: str
    changing: str = ""
    """The statement; empty if such a record never changes."""
    fields: Callable[[Item], dict[str, Any]]
    """Its own columns, in the order in which the trail digests them."""
    derived: Callable[[Item], dict[str, Any]] = lambda _item: {}
    """Columns that follow from those, for finding it."""
    read: Callable[[Row, dict[str, Any]], Item]
    """The record from its own columns and from what all records have."""
    searched: tuple[fulltext.Kind, Callable[[Item], str]] | None = None
    """What full text finds it by, and the kind of records that it is there."""
    destroy_parts: Callable[[Unit, Item], int] = lambda _unit, _item: 0
    """Removes what hangs on it before it is erased; how many entries of the trail that empties."""

    def to_item(self, row: Row) -> Item:
        id, *dimensions, created_at, changed_at, deleted_at = row[:8]
        head = {
            "id": id,
            "scope": to_scope(*dimensions),
            "created_at": from_micros(created_at),
            "changed_at": from_micros(changed_at),
            "deleted_at": columns.moment(deleted_at),
        }
        return self.read(row[8:], head)


def new_head(unit: Unit) -> dict[str, Any]:
    """What all records have, of one that is made now, in the scope of whoever makes it."""
    scope = scope_for_new(unit.viewer, "record")
    return {"id": new_id(unit.now), "scope": scope, "created_at": unit.now, "changed_at": unit.now}


def add(unit: Unit, table: Table[Item], item: Item, action: str) -> Item:
    row = _row(unit, table, item)
    unit.run(table.adding, {**row, **table.derived(item)})
    _index(unit, table, item, row["scope"])
    _record(unit, table, item, action, None, row)
    return item


def change(
    unit: Unit, table: Table[Item], old: Item, new: Item, action: str, reason: str | None = None
) -> Item:
    """Store the next state of a record, as of now."""
    stamped = replace(new, changed_at=unit.now)
    row = _row(unit, table, stamped)
    expected = {**row, **table.derived(stamped), "was_changed_at": to_micros(old.changed_at)}
    if not unit.run(table.changing, expected):
        raise BusyError(f"{old.id} was changed by another writer just now", remedy="try again")
    if old.deleted_at != stamped.deleted_at:
        _index(unit, table, stamped, row["scope"])
    _record(unit, table, stamped, action, reason, row)
    return stamped


def delete(access: Access, table: Table[Item], id: str, reason: str | None) -> Item:
    why = checked_reason(reason)

    def deleted(unit: Unit) -> Item:
        item = find_own(unit, table, id)
        return change(unit, table, item, replace(item, deleted_at=unit.now), "delete", why)

    return access.change(deleted)


def restore(
    access: Access,
    table: Table[Item],
    id: str,
    reason: str | None,
    check: Callable[[Unit, Item], None] = lambda _unit, _item: None,
) -> Item:
    """Bring a deleted record back; `check` refuses where another has taken its place."""
    why = checked_reason(reason)

    def restored(unit: Unit) -> Item:
        item = find_own(unit, table, id, among=DELETED)
        check(unit, item)
        return change(unit, table, item, replace(item, deleted_at=None), "restore", why)

    return access.change(restored)


def get(access: Access, table: Table[Item], id: str) -> Item:
    return access.ask(lambda view: find(view, table, id))


def listed(
    access: Access,
    table: Table[Item],
    narrowed: Callable[[View], Params],
    *,
    deleted: bool,
    limit: int,
    cursor: str | None,
) -> Page[Item]:
    """Newest first."""
    wanted = checked_limit(limit)
    before = HIGHEST if cursor is None else id_range(cursor)[0]

    def page(view: View) -> Page[Item]:
        params = {**narrowed(view), "before": before, "limit": wanted + 1}
        rows = view.rows("list_records", params, table.name, kept(deleted))
        return page_by_id([table.to_item(row) for row in rows], wanted)

    return access.ask(page)


def kept(deleted: bool) -> str:
    return DELETED[0] if deleted else PRESENT[0]


def find(view: View, table: Table[Item], given: str, *, among: tuple[str, ...] = PRESENT) -> Item:
    """The one visible record with this id, or whose id begins so."""
    found = _beginning(view, table, given, among)
    remedy = "" if found else _remedy(view, table, given, among)
    return the_one(found, table.noun, given, remedy=remedy)


def find_own(
    unit: Unit, table: Table[Item], given: str, *, among: tuple[str, ...] = PRESENT
) -> Item:
    """The same, of a record that this viewer may change."""
    return owned(unit.viewer, find(unit, table, given, among=among))


def _row(unit: Unit, table: Table[Item], item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "scope": unit.scope_id(item.scope),
        "created_at": to_micros(item.created_at),
        "changed_at": to_micros(item.changed_at),
        "deleted_at": columns.micros(item.deleted_at),
        **table.fields(item),
    }


def _record(
    unit: Unit, table: Table[Item], item: Item, action: str, reason: str | None, row: dict[str, Any]
) -> None:
    """On the trail, in the order of the fragment `record_state` and of the table's own fields."""
    own = [row[name] for name in table.fields(item)]
    state = [row["scope"], row["created_at"], row["deleted_at"], *own]
    unit.record(f"{table.noun}.{action}", item.id, item.scope, reason, state)


def _index(unit: Unit, table: Table[Item], item: Item, scope: int) -> None:
    """What is deleted cannot be found; what is restored can, once."""
    if table.searched is None:
        return
    fulltext.remove(unit, item.id)
    if item.deleted_at is None:
        kind, text = table.searched
        fulltext.put(unit, kind, item.id, scope, text(item))


def _beginning(view: View, table: Table[Item], given: str, among: tuple[str, ...]) -> list[Item]:
    lowest, highest = id_range(given)
    ids = {"lowest": lowest, "highest": highest}
    rows = [row for kept in among for row in view.rows("find_records", ids, table.name, kept)]
    return [table.to_item(row) for row in rows]


def _remedy(view: View, table: Table[Item], given: str, among: tuple[str, ...]) -> str:
    if among == PRESENT and _beginning(view, table, given, DELETED):
        return f"it was deleted; `{table.name}.restore` brings it back"
    if among == DELETED and _beginning(view, table, given, PRESENT):
        return "it is not deleted"
    return f"see what is there with `{table.listed or f'{table.name}.list'}`"
