"""The tables of an export, read scope by scope in the order of their keys.

Tables that are not here are derived from these: the search index, and the outbox of texts that wait
for their vector. A test compares both lists with the schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erstwhile.core.ports import Row, Session
from erstwhile.core.scope import DIMENSIONS
from erstwhile.exports.format import LineFormat, formats
from erstwhile.storage.statements import Statements, load

DERIVED = frozenset(("passages", "shelves", "outbox"))
"""Tables that an import builds again."""
_SQL = Path(__file__).parent / "statements"
_SIZE = 100
"""The number of rows that are read at a time: a row may be large."""


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """A table: the key of its rows within a scope, and the table of the records they belong to."""

    name: str
    key: tuple[str, ...] = ("id",)
    owner: str = ""
    """The table with the scope, if this one has none."""
    refers: str = "id"
    """The column with the id of the owner."""

    @property
    def format(self) -> LineFormat:
        return formats()[self.name]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.format.columns)

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns of a stored row, except the space and numbers that the store gives."""
        if self.name == SCOPES:
            return ("id", *(f"scope_{name}" for name in DIMENSIONS), *self.columns)
        return self.columns if self.owner else ("scope", *self.columns)

    def fragments(self) -> dict[str, str]:
        """Return what fills the slots of the statements."""
        joined = f"JOIN {self.owner} AS o ON o.space = :space AND o.id = t.{self.refers}"
        places = [f":after_{number}" for number in range(len(self.key))]
        return {
            "columns": _listed(self.columns),
            "key": _listed(self.key),
            "after": ", ".join(places),
            "source": f"{self.name} AS t {joined if self.owner else ''}",
            "scope": "o.scope" if self.owner else "t.id" if self.name == SCOPES else "t.scope",
            "here": "t.space = :space",
            "table": self.name,
            "stored": ", ".join(self.stored),
            "values": ", ".join(f":{column}" for column in self.stored),
        }


SCOPES = "scopes"
TABLES = (
    ExportedTable(SCOPES),
    ExportedTable("audit", ("seq",)),
    ExportedTable("facts"),
    ExportedTable("fact_versions", ("id", "known_from"), "facts"),
    ExportedTable("fact_tags", ("fact", "tag")),
    ExportedTable("entities"),
    ExportedTable("entity_names", ("folded",)),
    ExportedTable("fact_entities", ("fact", "entity"), "facts", "fact"),
    ExportedTable("relations", ("fact", "subject", "predicate", "object"), "facts", "fact"),
    ExportedTable("blocks"),
    ExportedTable("block_versions", ("id", "version"), "blocks"),
    ExportedTable("decisions", ("number",)),
    ExportedTable("conversations"),
    ExportedTable("messages", ("number",)),
    ExportedTable("compactions"),
    ExportedTable("sessions"),
    ExportedTable("identities"),
    ExportedTable("tasks"),
    ExportedTable("task_runs"),
    ExportedTable("checkpoints"),
    ExportedTable("snapshots"),
    ExportedTable("outcomes"),
    ExportedTable("lessons"),
    ExportedTable("observations"),
    ExportedTable("limitations"),
    ExportedTable("usage"),
    ExportedTable("onboarding", ("stage",)),
    ExportedTable("learning", ("conversation",)),
    ExportedTable("attempts"),
    ExportedTable("conflicts"),
    ExportedTable("feedback"),
    ExportedTable("fact_uses", ("fact",)),
)
"""In the order of their references. Numbers of one store are not exported: only their order is."""


class TableReader:
    """Reads the rows of one table from one snapshot."""

    def __init__(self, table: ExportedTable, sql: Statements, session: Session, space: str) -> None:
        self.table = table
        self._sql = sql.filled(table.fragments())
        self._session = session
        self._space = space

    def counts(self) -> Mapping[int, int]:
        """Return the number of rows of each scope that has some."""
        return dict(self._session.rows(self._sql["count_by_scope",], {"space": self._space}))

    def rows(self, scope: int) -> Iterator[Row]:
        """Yield the exported columns of the rows of a scope."""
        size, choice = len(self.table.columns), "first"
        params: dict[str, Any] = {"space": self._space, "scope": scope, "limit": _SIZE}
        while found := self._session.rows(self._sql["rows_of_scope", choice], params):
            yield from (row[:size] for row in found)
            if len(found) < _SIZE:
                return
            choice = "later"
            params |= {f"after_{number}": at for number, at in enumerate(found[-1][size:])}


class TableWriter:
    """Adds rows to one table, in one transaction."""

    def __init__(self, table: ExportedTable, sql: Statements, session: Session, space: str) -> None:
        self._statement = sql.filled(table.fragments())["add_row",]
        self._session = session
        self._space = space

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows; raise ConflictError if one contradicts another."""
        self._session.run_many(self._statement, [{**row, "space": self._space} for row in rows])


class VectorReader:
    """Reads the vectors of the serving model."""

    def __init__(self, sql: Statements, session: Session, space: str) -> None:
        self._sql = sql
        self._session = session
        self._space = space
        found = session.rows(sql["serving_embedder",], {"space": space})
        self.model: Row | None = found[0][1:] if found else None
        """The name, the dimensions and the scale of the model."""
        self._embedder = found[0][0] if found else 0

    def counts(self) -> Mapping[int, int]:
        told = {"space": self._space, "embedder": self._embedder}
        return dict(self._session.rows(self._sql["count_vectors_by_scope",], told))

    def rows(self, scope: int) -> Iterator[Row]:
        """Yield the record, the place of the passage and the vector."""
        params = {"space": self._space, "scope": scope, "embedder": self._embedder, "limit": _SIZE}
        after: Row = ("", -1)
        while found := self._session.rows(
            self._sql["vectors_of_scope",], {**params, "record": after[0], "place": after[1]}
        ):
            yield from (row[:4] for row in found)
            after = found[-1][4:]


def statements(dialect: str) -> Statements:
    return load(dialect, _SQL)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f"t.{column}" for column in columns)
