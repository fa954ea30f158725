"""Erase a scope with all narrower ones, a person, or a collection.

`ERASED` lists every table that has records of its own. A record is destroyed by the table of its
package, together with its parts: versions, passages, vectors, runs, messages. So a whole scope is
erased in the same way as a single record. A test compares `ERASED` with the tables of the schema.

A transaction destroys a limited number of records, so that other writers need not wait for long.
The last one finds nothing more, and empties the audit chains. An interrupted erasure is finished by
calling it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

from erstwhile.blocks.table import BLOCKS
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.ports import Row
from erstwhile.core.results import Erasure, Receipt
from erstwhile.core.scope import Dimensions, Scope, Viewer, named_dimensions, scope_params, to_scope
from erstwhile.decisions.table import DECISIONS
from erstwhile.facts.table import FACTS
from erstwhile.operations.snapshot import SNAPSHOTS
from erstwhile.profile.identities import names_of_person
from erstwhile.records.lessons import LESSONS
from erstwhile.records.limitations import LIMITATIONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.records.outcomes import OUTCOMES
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.record import Collection, scope_for_new
from erstwhile.storage.table import Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.checkpoints import CHECKPOINTS
from erstwhile.tasks.table import TASKS
from erstwhile.usage.collection import CALLS

Targets: TypeAlias = Callable[[View], tuple[Sequence[Scope], Sequence[Row]]]
"""A function that finds the scopes to erase, and links of names that lie in other scopes."""


class _RowTable(Table[Any]):
    """Records of one row each. A row has an id and a scope."""

    holding = "ids_within"

    def __init__(self, name: str, counted: str = "records") -> None:
        self.name = self.noun = name
        self.counted = counted

    def to_item(self, _view: View, row: Row) -> Row:
        return row

    def destroy(self, unit: Unit, rows: Sequence[Row]) -> Counter[str]:
        removed: Counter[str] = Counter()
        erasure.destroy_records(unit, self.name, rows, removed, self.counted)
        return removed


RECORD_TABLES: Mapping[str, Table[Any]] = {
    table.name: table
    for table in (
        ConversationTable(timedelta()),  # before the facts: no thread learns from it afterwards
        FACTS,
        BLOCKS,
        DECISIONS,
        TASKS,
        CHECKPOINTS,
        SNAPSHOTS,
        OUTCOMES,
        LESSONS,
        OBSERVATIONS,
        LIMITATIONS,
        CALLS,
    )
}
"""The tables whose records can be deleted, restored and purged, by name."""
ERASED: Sequence[Table[Any]] = (
    # These come first, because the erasure of a conversation or of a fact would take them along.
    *map(_RowTable, ("attempts", "conflicts", "feedback")),
    *RECORD_TABLES.values(),
    _RowTable("sessions", "sessions"),
    _LINKS := _RowTable("identities", "identities"),
    _RowTable("onboarding"),
)
CLEARED = {
    {"attempts": "learning"}.get(table.name, table.name): table
    for table in ERASED
    if table.name != "feedback"
}
"""The collections that can be cleared. Feedback is erased with its facts."""


class Eraser(Collection):
    """Erases whole scopes, within the scope of the memory."""

    def clear(self, collection: str, *, preview: bool) -> Erasure:
        """Erase one collection of exactly the scope of the memory."""
        if not isinstance(collection, str) or collection not in CLEARED:
            raise InvalidInputError(
                f"no collection {collection!r} can be cleared",
                remedy=f"use one of {', '.join(sorted(CLEARED))}",
            )
        scope_for_new(self._access.viewer, "clear")
        scope, tables = _scope_to_erase(self._access.viewer, {}), (CLEARED[collection],)
        return self._erased(lambda _view: ((scope,), ()), preview, tables)

    def erase_scope(self, dimensions: Dimensions, *, preview: bool) -> Erasure:
        """Erase a scope, narrowed by dimensions, and all narrower ones."""
        scope = _scope_to_erase(self._access.viewer, dimensions)
        if scope == Scope():
            raise InvalidInputError(
                "this would erase the memory of everybody",
                remedy="name a user, agent, project or session",
            )
        return self._erased(lambda _view: ((scope,), ()), preview)

    def erase_user(self, user: str, *, preview: bool) -> Erasure:
        """Erase the scopes of a person under all their names, and the links between the names."""
        scope = _scope_to_erase(self._access.viewer, {"user": user})

        def found(view: View) -> tuple[Sequence[Scope], Sequence[Row]]:
            names, links = names_of_person(view, scope)
            return [replace(scope, user=name) for name in names], [row[:5] for row in links]

        return self._erased(found, preview)

    def _erased(
        self, targets: Targets, preview: bool, tables: Sequence[Table[Any]] = ERASED
    ) -> Erasure:
        """Erase with an access to all narrower scopes; the audit trail names the real actor."""
        viewer = self._access.viewer
        viewer.check_person("erase all of a collection, a user or a scope")
        self._services.usage_recorder.write()
        access = self._access.seen_by(Viewer(everything=True, name=viewer.actor))
        erasing = _Erasing(access, targets, tables)
        return access.ask(erasing.preview) if preview else erasing.finished()


def _scope_to_erase(viewer: Viewer, dimensions: Dimensions) -> Scope:
    """Return the scope to erase. An unknown user must not become all users."""
    named = named_dimensions(dimensions, "erase")
    if viewer.user_unknown:
        named_dimensions({"user": None}, "erase")
    return viewer.scope.narrowed(**named)


class _Erasing:
    """A running erasure."""

    def __init__(self, access: Access, targets: Targets, tables: Sequence[Table[Any]]) -> None:
        self._access = access
        self._targets = targets
        self._tables = tables
        self._extent = "narrower" if tables is ERASED else "exactly"
        """Whether the narrower scopes are erased with a scope."""
        self._collections: Counter[str] = Counter()
        self._removed: Counter[str] = Counter()
        self._ids: list[str] = []

    def finished(self) -> Erasure:
        """Erase everything, then rewrite the store."""
        found: Erasure | None = None
        while found is None:
            found = self._access.change(self._step, alone=True)
        erasure.rewrite(self._access)
        return found

    def preview(self, view: View) -> Erasure:
        targets, links = self._targets(view)
        counts = Counter(identities=len(links))
        for table in self._tables:
            for within in map(scope_params, targets):
                [(count,)] = view.rows("count_within", {**within}, table.name, self._extent)
                counts[table.name] += count
        return _erasure(_scopes(view, targets, self._extent), counts)

    def _step(self, unit: Unit) -> Erasure | None:
        """Destroy one batch of records; after the last batch, return the result."""
        targets, links = self._targets(unit)
        left = erasure.BATCH
        for table in self._tables:
            weight = erasure.BATCH // table.batch  # a record with many parts costs more
            for within in map(scope_params, targets):
                limit, items = left // weight, list[Any]()
                if limit:
                    params = {**within, "limit": limit}
                    items = table.select(unit, table.holding, params, self._extent)
                self._destroy(unit, table, items)
                if len(items) == limit:
                    return None
                left -= len(items) * weight
        self._destroy(unit, _LINKS, links)
        scopes = _scopes(unit, targets, self._extent)
        if self._tables is ERASED:
            self._empty_trails(unit, targets, scopes)
        receipt = Receipt(at=unit.now, ids=tuple(self._ids), **self._removed)
        return replace(_erasure(scopes, self._collections), receipt=receipt)

    def _destroy(self, unit: Unit, table: Table[Any], items: Sequence[Any]) -> None:
        self._removed += table.destroy(unit, items)
        self._collections[table.name] += len(items)
        self._ids += (item[0] if isinstance(item, tuple) else item.id for item in items)

    def _empty_trails(self, unit: Unit, targets: Sequence[Scope], scopes: dict[int, Scope]) -> None:
        """Remove the uses of facts, and the content of the audit trails, of whole scopes."""
        for within in map(scope_params, targets):
            unit.run("remove_uses_within", {**within}, self._extent)
        for number, scope in scopes.items():
            blanked = unit.run("blank_chain", {"scope": number})
            self._removed["audit_entries"] += blanked
            if blanked:  # also marks that bytes are left, if nothing else was erased
                unit.record("erase", "scope", scope, None)


def _scopes(view: View, targets: Iterable[Scope], extent: str) -> dict[int, Scope]:
    """Return the scopes within the targets that have a row, by their numbers."""
    found = (view.rows("scopes_within", scope_params(each), extent) for each in targets)
    rows = [row for some in found for row in some]
    return {number: to_scope(*dimensions) for number, *dimensions in rows}


def _erasure(scopes: dict[int, Scope], counts: Counter[str]) -> Erasure:
    collections = {name: counts[name] for name in sorted(counts) if counts[name]}
    return Erasure(scopes=tuple(scopes.values()), collections=FrozenDict(collections))
