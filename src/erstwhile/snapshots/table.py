"""The table of snapshots. It finds the snapshot with a name that a viewer can see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.core.time import from_micros, to_micros
from erstwhile.snapshots.snapshot import Snapshot
from erstwhile.storage.erasure import own
from erstwhile.storage.lookup import owned
from erstwhile.storage.record_table import RecordTable
from erstwhile.storage.table import DELETED, PRESENT
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class SnapshotTable(RecordTable[Snapshot]):
    """The table of snapshots: one row for each name."""

    noun = "snapshot"
    name = "snapshots"
    adding = "add_snapshot"
    changing = "change_snapshot"

    def fields(self, item: Snapshot) -> dict[str, Any]:
        return {"name": item.name, "at": to_micros(item.at), "description": item.description}

    def build(self, row: Row, head: dict[str, Any]) -> Snapshot:
        name, at, description = row
        return Snapshot(name=name, at=from_micros(at), description=description, **head)

    def create(
        self, unit: Unit, scope: Scope, name: str, at: datetime, description: str = ""
    ) -> Snapshot:
        """Store a new snapshot; a name that is taken in its scope is a conflict."""
        new = Snapshot(
            id=new_id(unit.now),
            scope=scope,
            created_at=unit.now,
            changed_at=unit.now,
            name=name,
            at=at,
            description=description,
        )
        if any(each.scope == scope for each in self.named(unit, name, PRESENT[0])):
            raise ConflictError(
                f"a snapshot {name!r} exists already", remedy="choose another name, or delete it"
            )
        return self.add(unit, new, "create")

    def named(self, view: View, name: str, *choices: str) -> Sequence[Snapshot]:
        """Return the snapshots of a name, the narrowest scope first."""
        return self.select(view, "find_snapshots", {"name": name}, *choices)

    def starting_with(
        self, view: View, name: str, among: tuple[str, ...] = PRESENT
    ) -> list[Snapshot]:
        """Return the snapshots of a name; instead of a name it may be a whole id."""
        found = [each for kept in among for each in self.named(view, name, kept)]
        by_id = not found and _ID.fullmatch(name)
        return super().starting_with(view, name, among) if by_id else found

    def find(self, view: View, name: str, *, among: tuple[str, ...] = PRESENT) -> Snapshot:
        """Return the snapshot of a name; if several scopes have one, the narrowest scope counts."""
        found = self.starting_with(view, name, among)
        if len({each.scope for each in found}) > 1 and view.viewer.everything:
            raise ConflictError(
                f"several scopes have a snapshot {name!r}",
                remedy="use memory.scoped(…) for one of them",
            )
        if not found:
            raise NotFoundError(
                f"no snapshot {name!r} is visible here", remedy=self._remedy(view, name, among)
            )
        return found[0]

    def find_own(self, unit: Unit, name: str, *, among: tuple[str, ...] = PRESENT) -> Snapshot:
        """Return the snapshot of a name, if this viewer may change it."""
        mine = [each for kept in among for each in self.named(unit, name, kept, own(unit))]
        return owned(unit.viewer, mine[0] if mine else self.find(unit, name, among=among))

    def _remedy(self, view: View, name: str, among: tuple[str, ...]) -> str:
        hidden = self.named(view, name, DELETED[0]) if among == PRESENT else ()
        if hidden:
            return f"it was deleted; create it again with at={hidden[0].at.isoformat()!r}"
        return "see what is there with `snapshots.list`"


SNAPSHOTS = SnapshotTable()
