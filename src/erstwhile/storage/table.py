"""The base class of all tables: every collection stores its records with it.

How a collection adopts it:

1. Derive a class from `Table`. Set `noun`, `name` and the statements `finding` and `deleting`, and
   write `to_item`, `change` and `destroy`. For records with the columns of `Record`, derive from
   `RecordTable` (`record_table.py`) instead, and write only `fields` and `build`.
2. Make one instance. Call `find` and `find_own` inside a transaction, and `get`, `page`, `edit`,
   `delete`, `restore`, `erase` and `purge` as whole verbs of a collection.

The statement `finding` takes `:lowest` and `:highest`; the choice "present" or "deleted" selects
the fragment that keeps deleted records out or in. The statement `deleting` takes `:before` and
`:limit`, and the choice "own" or "everything" for `{{visible}}`. `holding` has `{{within}}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Generic, TypeVar

from erstwhile.core.ids import id_range
from erstwhile.core.page import Page, PageRequest
from erstwhile.core.ports import Params, Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.storage import columns, erasure
from erstwhile.storage.access import Access
from erstwhile.storage.lookup import Identified, owned, the_one
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

PRESENT = ("present",)
DELETED = ("deleted",)
EITHER = PRESENT + DELETED

Item = TypeVar("Item", bound=Identified)


class Table(Generic[Item]):
    """The records of one kind: how to find, change and destroy them."""

    noun: str
    """The name of one record, in messages and in the audit trail."""
    name: str
    """The name of the collection. It also chooses fragments, such as `record.lessons`."""
    listed: str = ""
    """The call that lists the records, if it is not the collection's `list`."""
    counted: str = "records"
    """The field of a `Receipt` that counts the records."""
    finding: str = "find_records"
    deleting: str = "deleted_records"
    holding: str = "records_within"
    batch: int = erasure.BATCH
    """The number of records that one transaction of `purge` destroys."""

    def to_item(self, view: View, row: Row) -> Item:
        """Make a record from a row of the statements of this table."""
        raise NotImplementedError

    def change(
        self, unit: Unit, old: Item, new: Item, action: str, reason: str | None = None
    ) -> Item:
        """Store the next state of a record, its index terms and its audit entry."""
        raise NotImplementedError

    def destroy(self, unit: Unit, items: Sequence[Item]) -> Counter[str]:
        """Remove records and their dependent rows; return the number of removed rows by kind."""
        raise NotImplementedError

    def select(self, view: View, statement: str, params: Params, *choices: str) -> list[Item]:
        """Run a statement, and make a record from each row."""
        decoded = columns.decodes(self.noun)(lambda row: self.to_item(view, row))
        return [decoded(row) for row in view.rows(statement, params, self.name, *choices)]

    def starting_with(self, view: View, id: str, among: tuple[str, ...] = PRESENT) -> list[Item]:
        """Return the visible records whose id starts with `id`; a few, if there are many."""
        lowest, highest = id_range(id)
        ids = {"lowest": lowest, "highest": highest}
        return [item for kept in among for item in self.select(view, self.finding, ids, kept)]

    def find(self, view: View, id: str, *, among: tuple[str, ...] = PRESENT) -> Item:
        """Return the one visible record whose id is, or starts with, `id`."""
        found = self.starting_with(view, id, among)
        remedy = "" if found else self._remedy(view, id, among)
        return the_one(found, self.noun, id, remedy=remedy)

    def find_own(self, unit: Unit, id: str, *, among: tuple[str, ...] = PRESENT) -> Item:
        """Find a record that the viewer may change; raise ScopeError if another scope owns it."""
        return owned(unit.viewer, self.find(unit, id, among=among))

    def get(self, access: Access, id: str) -> Item:
        return access.ask(lambda view: self.find(view, id))

    def page(
        self,
        access: Access,
        filters: Callable[[View], Params],
        *,
        deleted: bool = False,
        limit: int,
        cursor: str | None,
        listing: str = "list_records",
    ) -> Page[Item]:
        """List the records that pass the filters, newest first."""
        request = PageRequest(limit, cursor)

        def listed(view: View) -> Page[Item]:
            params = {**filters(view), **request.params}
            return request.page(self.select(view, listing, params, kept(deleted)))

        return access.ask(listed)

    def edit(
        self,
        access: Access,
        id: str,
        action: str,
        reason: str | None,
        changed: Callable[[Unit, Item], Item],
        *,
        among: tuple[str, ...] = PRESENT,
    ) -> Item:
        """Change one record of this viewer in a transaction of its own."""
        why = checked_reason(reason)

        def edited(unit: Unit) -> Item:
            item = self.find_own(unit, id, among=among)
            return self.change(unit, item, changed(unit, item), action, why)

        return access.change(edited)

    def delete(self, access: Access, id: str, reason: str | None) -> Item:
        """Hide a record until it is restored or purged."""
        return self.edit(
            access, id, "delete", reason, lambda unit, item: replace(item, deleted_at=unit.now)
        )

    def restore(
        self,
        access: Access,
        id: str,
        reason: str | None,
        check: Callable[[Unit, Item], None] = lambda _unit, _item: None,
    ) -> Item:
        """Restore a deleted record; `check` raises if another record has taken its place."""

        def shown(unit: Unit, item: Item) -> Item:
            check(unit, item)
            return replace(item, deleted_at=None)

        return self.edit(access, id, "restore", reason, shown, among=DELETED)

    def erase(self, access: Access, ids: Sequence[str]) -> Receipt:
        """Destroy records, deleted or not."""
        return erasure.erase(
            access,
            ids,
            noun=self.noun,
            find=lambda unit, id: [self.find_own(unit, id, among=EITHER)],
            destroy=self.destroy,
            counted=self.counted,
        )

    def purge(self, access: Access, older_than: Moment | timedelta) -> Receipt:
        """Destroy the records deleted longer ago than `older_than`."""
        return erasure.erase_old(
            access,
            older_than,
            find=lambda unit, old: self.select(unit, self.deleting, old, erasure.own(unit)),
            destroy=self.destroy,
            batch=self.batch,
        )

    def _remedy(self, view: View, id: str, among: tuple[str, ...]) -> str:
        if among == PRESENT and self.starting_with(view, id, DELETED):
            return f"it was deleted; `{self.name}.restore` brings it back"
        if among == DELETED and self.starting_with(view, id, PRESENT):
            return "it is not deleted"
        return f"see what is there with `{self.listed or f'{self.name}.list'}`"


def kept(deleted: bool) -> str:
    """Return the choice that selects either the deleted records or the others."""
    return DELETED[0] if deleted else PRESENT[0]
