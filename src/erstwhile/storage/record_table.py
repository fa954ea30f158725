"""The base class of tables whose records have the columns of `Record`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from erstwhile.core.errors import BusyError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros, to_micros
from erstwhile.secrets.prepared import texts_in
from erstwhile.storage import columns, erasure, passages, standing
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.passages import IndexedText
from erstwhile.storage.record import Record
from erstwhile.storage.table import Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

RecordItem = TypeVar("RecordItem", bound=Record)


class RecordTable(Table[RecordItem]):
    """A table of `Record`. The row, its passages and the audit entry are written together."""

    adding: str
    """The statement that adds a row."""
    changing: str
    """The statement that changes a row; not needed if the records never change."""
    judged: bool = True
    """Whether the guard judges the texts of agents in it: all that prompts may quote."""
    searched: TextKind | None = None
    """The kind of the records in the search index, if they are in it."""

    def fields(self, item: RecordItem) -> dict[str, Any]:
        """Return the record's own columns, in the order in which the audit trail digests them."""
        raise NotImplementedError

    def derived(self, _item: RecordItem) -> dict[str, Any]:
        """Return columns that are derived from the others, to find the record by them."""
        return {}

    def build(self, row: Row, head: dict[str, Any]) -> RecordItem:
        """Make a record from its own columns and from the fields that all records have."""
        raise NotImplementedError

    def text(self, item: RecordItem) -> str:
        """Return the text of the record for the search index."""
        raise NotImplementedError

    def destroy_parts(self, _unit: Unit, _item: RecordItem) -> int:
        """Remove the rows that belong to a record; return the number of blanked audit entries."""
        return 0

    def to_item(self, _view: View, row: Row) -> RecordItem:
        return self.build(row[8:], self.head(row))

    def head(self, row: Row) -> dict[str, Any]:
        """Read the fields that all records have."""
        id, *dimensions, created_at, changed_at, deleted_at = row[:8]
        return {
            "id": id,
            "scope": columns.to_scope(*dimensions),
            "created_at": from_micros(created_at),
            "changed_at": from_micros(changed_at),
            "deleted_at": columns.moment(deleted_at),
        }

    def add(self, unit: Unit, item: RecordItem, action: str) -> RecordItem:
        self._admit(unit, item)
        row = self._row(unit, item)
        unit.run(self.adding, {**row, **self.derived(item)})
        self._index(unit, item, row["scope"])
        self._record(unit, item, action, None, row)
        return item

    def change(
        self, unit: Unit, old: RecordItem, new: RecordItem, action: str, reason: str | None = None
    ) -> RecordItem:
        self._admit(unit, new, old)
        if old.deleted_at is not None and new.deleted_at is None:  # whatever the action is called
            standing.check_act(unit, f"{self.noun}.restore", old.id, old.scope)
        stamped = replace(new, changed_at=unit.now)
        row = self._row(unit, stamped)
        expected = {**row, **self.derived(stamped), "was_changed_at": to_micros(old.changed_at)}
        if not unit.run(self.changing, expected):
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
        return {
            "id": item.id,
            "scope": unit.scope_id(item.scope),
            "created_at": to_micros(item.created_at),
            "changed_at": to_micros(item.changed_at),
            "deleted_at": columns.micros(item.deleted_at),
            **self.fields(item),
        }

    def _record(
        self, unit: Unit, item: RecordItem, action: str, reason: str | None, row: dict[str, Any]
    ) -> None:
        """Add the audit entry; its digest follows the fragment `record_state` and `fields`."""
        own = [row[name] for name in self.fields(item)]
        state = [row["created_at"], row["deleted_at"], *own]
        unit.record(f"{self.noun}.{action}", item.id, item.scope, reason, state)

    def _index(self, unit: Unit, item: RecordItem, scope: int) -> None:
        """Index a record once, or take a deleted one out of the index."""
        if self.searched is None:
            return
        passages.remove(unit, item.id)
        text = IndexedText(kind=self.searched, id=item.id, scope=scope, text=self.text(item))
        if item.deleted_at is None:
            passages.put(unit, text)


def new_head(unit: Unit) -> dict[str, Any]:
    """Return the fields that all records have, for a record made now in the viewer's scope."""
    scope = scope_for_new(unit.viewer, "record")
    return {"id": new_id(unit.now), "scope": scope, "created_at": unit.now, "changed_at": unit.now}
