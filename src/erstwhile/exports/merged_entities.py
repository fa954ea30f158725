"""The entities of facts that are merged: one that has a name here is the one that is here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from erstwhile.core.ports import Session
from erstwhile.exports.tables import TABLES
from erstwhile.storage.statements import Statements
from erstwhile.storage.unit import Unit

_COLUMNS = ("entity", "subject", "object")
"""The columns of the parts of a fact that hold the id of an entity."""


class MergedEntities:
    """Finds the entity here for each of another memory; adds those that are new when needed."""

    def __init__(self, unit: Unit, session: Session, sql: Statements, scope: int) -> None:
        self.lines: Counter[str] = Counter()
        self._unit = unit
        self._session = session
        self._sql = sql
        self._scope = scope
        self._entities: dict[str, Mapping[str, Any]] = {}
        self._names: dict[str, list[Mapping[str, Any]]] = {}
        self._found: dict[str, str] = {}

    def read(
        self, entities: Iterable[Mapping[str, Any]], names: Iterable[Mapping[str, Any]]
    ) -> None:
        """Take the entities of the other memory, with all their names."""
        self._entities = {row["id"]: row for row in entities}
        for row in names:
            self._names.setdefault(row["entity"], []).append(row)

    def mapped(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a part of a fact with the ids of entities here."""
        return {
            name: self._here(value) if name in _COLUMNS and value in self._entities else value
            for name, value in row.items()
        }

    def _here(self, id: str) -> str:
        if id not in self._found:
            self._found[id] = self._known(id) or self._added(id)
        return self._found[id]

    def _known(self, id: str) -> str | None:
        place = {"space": self._unit.space, "scope": self._scope}
        for name in self._names.get(id, ()):
            told = {**place, "folded": name["folded"]}
            for (found,) in self._session.rows(self._sql["entity_named",], told):
                return str(found)
        return None

    def _added(self, id: str) -> str:
        own = {"space": self._unit.space, "scope": self._scope}
        rows = [("entities", self._entities[id])]
        rows += [("entity_names", name) for name in self._names.get(id, ())]
        for table in TABLES:
            add = self._sql.filled(table.fragments())["add_if_new",]
            for name, row in rows:
                if name == table.name:
                    self.lines[name] += self._session.run(add, {**row, **own})
        return id
