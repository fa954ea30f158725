"""The base class of all tables: every collection stores its records with it.

How a collection adopts it:

1. Derive a class from `Table`. Set `noun`, `name`, `row_type` and the statements `finding` and
   `deleting`, and write `change` and `destroy`. For records with the columns of `Record`, derive
   from `RecordTable` instead. Derive its collection from `RecordCollection` (`record.py`).
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
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from erstwhile.core.errors import BusyError
from erstwhile.core.ids import id_range, new_id
from erstwhile.core.results import Page, PageRequest, Receipt
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment, to_micros
from erstwhile.secrets.masking import texts_in
from erstwhile.storage import erasure, passages
from erstwhile.storage.columns import RowType, decodes
from erstwhile.storage.passages import IndexedText
from erstwhile.storage.record import Identified, Record, owned, scope_for_new, the_one

if TYPE_CHECKING:
    from erstwhile.core.kinds import TextKind
    from erstwhile.core.ports import Params, Row
    from erstwhile.storage.access import Access
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
    row_type: RowType[Item]
    """The columns of the statements that select whole records."""
    batch: int = erasure.BATCH
    """The number of records that one transaction of `purge` destroys."""
    by_id: bool = True
    """Whether a record is given by its id, or by a name."""

    def to_item(self, _view: View, row: Row) -> Item:
        """Make a record from a row of the statements of this table."""
        return self.row_type.decode(row)

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
        decoded = decodes(self.noun)(lambda row: self.to_item(view, row))
        return [decoded(row) for row in view.rows(statement, params, self.name, *choices)]

    def starting_with(self, view: View, id: str, among: tuple[str, ...] = PRESENT) -> list[Item]:
        """Return the visible records whose id starts with `id`; a few, if there are many."""
        ids = dict(zip(("lowest", "highest"), id_range(id), strict=True))
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
            by_id=self.by_id,
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


RecordItem = TypeVar("RecordItem", bound=Record)
_UNAUDITED = frozenset(("id", "scope", "changed_at"))


class RecordTable(Table[RecordItem]):
    """A table of `Record`. The row, its passages and the audit entry are written together.

    The statements `add_…` and `change_…` with its noun write a row.
    """

    judged: bool = True
    """Whether the guard judges the texts of agents in it: all that prompts may quote."""
    searched: TextKind | None = None
    """The kind of the records in the search index, if they are in it."""

    def parts(self, _item: RecordItem) -> dict[str, Any]:
        """Return columns that hold parts of a field; the audit trail digests them too."""
        return {}

    def derived(self, _item: RecordItem) -> dict[str, Any]:
        """Return columns that are derived from the others, to find the record by them."""
        return {}

    def text(self, item: RecordItem) -> str:
        """Return the text of the record for the search index."""
        raise NotImplementedError

    def destroy_parts(self, _unit: Unit, _item: RecordItem) -> int:
        """Remove the rows that belong to a record; return the number of blanked audit entries."""
        return 0

    def add(self, unit: Unit, item: RecordItem, action: str) -> RecordItem:
        self._admit(unit, item)
        row = self._row(unit, item)
        unit.run(f"add_{self.noun}", {**row, **self.derived(item)})
        self._index(unit, item, row["scope"])
        self._record(unit, item, action, None, row)
        return item

    def change(
        self, unit: Unit, old: RecordItem, new: RecordItem, action: str, reason: str | None = None
    ) -> RecordItem:
        self._admit(unit, new, old)
        if old.deleted_at is not None and new.deleted_at is None:  # whatever the action is called
            unit.check_action(f"{self.noun}.restore", old.id, old.scope)
        stamped = replace(new, changed_at=unit.now)
        row = self._row(unit, stamped)
        expected = {**row, **self.derived(stamped), "was_changed_at": to_micros(old.changed_at)}
        if not unit.run(f"change_{self.noun}", expected):
            raise BusyError(f"{old.id} was changed by another writer just now", remedy="try again")
        if old.deleted_at != stamped.deleted_at:
            self._index(unit, stamped, row["scope"])
        self._record(unit, stamped, action, reason, row)
        return stamped

    def destroy(self, unit: Unit, items: Sequence[RecordItem]) -> Counter[str]:
        removed = Counter(records=len(items))
        for item in items:
            passages.remove(unit, item.id)
            removed["audit_entries"] += self.destroy_parts(unit, item)
            unit.run("remove_row", {"id": item.id, "scope": unit.scope_id(item.scope)}, self.name)
            removed["audit_entries"] += erasure.forget(unit, item.id, item.scope)
        return removed

    def _admit(self, unit: Unit, new: RecordItem, *old: RecordItem) -> None:
        if self.judged:
            unit.admit(texts_in(new), texts_in(old))

    def _row(self, unit: Unit, item: RecordItem) -> dict[str, Any]:
        return self.row_type.encode(item, scope=unit.scope_id(item.scope), **self.parts(item))

    def _record(
        self, unit: Unit, item: RecordItem, action: str, reason: str | None, row: dict[str, Any]
    ) -> None:
        """Add the audit entry; its digest follows the fragment `record_state` and the fields."""
        state = [value for column, value in row.items() if column not in _UNAUDITED]
        unit.record(f"{self.noun}.{action}", item.id, item.scope, reason, state)

    def _index(self, unit: Unit, item: RecordItem, scope: int) -> None:
        """Index a record once, or take a deleted one out of the index."""
        if self.searched is None:
            return
        passages.remove(unit, item.id)
        text = IndexedText(kind=self.searched, id=item.id, scope=scope, text=self.text(item))
        if item.deleted_at is None:
            passages.put(unit, text)


def new_head(unit: Unit, verb: str = "record") -> dict[str, Any]:
    """Return the fields that all records have, for a record made now in the viewer's scope."""
    scope = scope_for_new(unit.viewer, verb)
    return {"id": new_id(unit.now), "scope": scope, "created_at": unit.now, "changed_at": unit.now}
