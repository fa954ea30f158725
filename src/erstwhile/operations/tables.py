"""The tables of a memory, and one reader and writer of their rows.

A copy has all columns of all tables, in the order of their primary keys. An export has the columns
of `export.schema.json`, scope by scope. A test compares `TABLES` with the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erstwhile.core.ports import Engine, Row, Session
from erstwhile.core.scope import DIMENSIONS
from erstwhile.operations.export_format import LINKS, formats
from erstwhile.storage.statements import Statements, load

SCOPES = "scopes"
_SQL = Path(__file__).parent / "statements" / "tables"
_ALL = 2**62
_EXPORT_PAGE, _COPY_PAGE = 100, 1_000
"""The number of rows read at a time. An exported row may be large."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table: its key within a scope, and the table of its parent records."""

    name: str
    key: tuple[str, ...] = ("id",)
    owner: str = ""
    """The table with the scope, if this one has none."""
    refers: str = "id"
    """The column with the id of the owner."""


EMBEDDERS, VECTORS = "embedders", "vectors"
"""Tables whose exported lines differ from their rows."""
_UNUSUAL = (
    StoredTable("audit", ("seq",)),
    StoredTable("fact_versions", ("id", "known_from"), "facts"),
    StoredTable("fact_tags", ("fact", "tag")),
    StoredTable("entity_names", ("folded",)),
    StoredTable("fact_entities", ("fact", "entity"), "facts", "fact"),
    StoredTable("relations", ("fact", "subject", "predicate", "object"), "facts", "fact"),
    StoredTable("block_versions", ("id", "version"), "blocks"),
    StoredTable("decisions", ("number",)),
    StoredTable("messages", ("number",)),
    StoredTable("onboarding", ("stage",)),
    StoredTable("learning", ("conversation",)),
    StoredTable("fact_uses", ("fact",)),
)
"""The exported tables with another key than the id, or without a scope."""
EXPORTED = {
    name: next((table for table in _UNUSUAL if table.name == name), StoredTable(name))
    for name in formats()
    if name not in (EMBEDDERS, VECTORS, LINKS)
}
"""In the order of an export: each table follows the tables that it refers to."""
DERIVED = ("passages", "partitions", "outbox")
"""Tables that an import builds again."""
TABLES = (*EXPORTED, *DERIVED[:2], EMBEDDERS, VECTORS, DERIVED[2])
"""All tables of a copy. Engines build other tables from these, such as the full-text index."""


@dataclass(frozen=True, slots=True)
class RowRange:
    """The rows of a table by their keys, after one key and up to another."""

    rows: dict[Row, Row]
    after: Row = ()
    last: Row = ()


class TableRows:
    """Reads and writes some columns of a table, in the order of a key."""

    def __init__(
        self,
        table: StoredTable,
        engine: Engine,
        columns: Sequence[str],
        stored: Sequence[str],
        primary: Sequence[str] = (),
        convert: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        self.name = table.name
        self.owner = table.owner
        self.columns = columns
        self._space = engine.space
        self._convert = convert
        owner = f" JOIN {table.owner} AS o ON o.space = :space AND o.id = t.{table.refers}"
        scope = "o.scope" if table.owner else "t.id" if table.name == SCOPES else "t.scope"
        rest = [column for column in columns if column not in table.key]
        changes = ", ".join(f"{column} = excluded.{column}" for column in rest)
        self._sql = statements(engine.dialect).filled(
            {
                "table": table.name,
                "source": f"{table.name} AS t{owner if table.owner else ''}",
                "scope": scope,
                "columns": ", ".join(f"t.{column}" for column in columns),
                "key": ", ".join(f"t.{column}" for column in table.key),
                "after": ", ".join(f":{name}" for name in _numbered("after", table.key)),
                "last": ", ".join(f":{name}" for name in _numbered("last", table.key)),
                "stored": ", ".join(stored),
                "values": ", ".join(f":{column}" for column in stored),
                "identity": ", ".join(primary),
                "changes": f"UPDATE SET {changes}" if rest else "NOTHING",
            }
        )

    def count(self, session: Session) -> int:
        return int(session.rows(self._sql["count_rows",], {"space": self._space})[0][0])

    def count_by_scope(self, session: Session) -> dict[int, int]:
        return dict(session.rows(self._sql["count_by_scope",], {"space": self._space}))

    def read(
        self,
        session: Session,
        after: Row = (),
        last: Row = (),
        scope: int | None = None,
        limit: int = _ALL,
    ) -> dict[Row, Row]:
        """Return the rows with keys after `after` and up to `last`, by their keys."""
        within = "space" if scope is None else "scope"
        sql = self._sql["rows", within, "later" if after else "first", "last" if last else "end"]
        params = {"space": self._space, "limit": limit, **_numbered("after", after)}
        params |= _numbered("last", last) | ({} if scope is None else {"scope": scope})
        size, convert = len(self.columns), self._convert
        rows = {row[size:]: row[:size] for row in session.rows(sql, params)}
        if convert:
            return {key: tuple(convert(self.named(row)).values()) for key, row in rows.items()}
        return rows

    def ranges(
        self, session: Session, scope: int | None = None, size: int = _COPY_PAGE
    ) -> Iterator[RowRange]:
        """Yield all rows; the last range has no end, and may be empty."""
        after: Row = ()
        while True:
            rows = self.read(session, after, scope=scope, limit=size)
            last = next(reversed(rows)) if len(rows) == size else ()
            yield RowRange(rows, after, last)
            if not last:
                return
            after = last

    def rows(self, session: Session, scope: int) -> Iterator[dict[str, Any]]:
        """Yield the rows of a scope, each with the names of its columns."""
        for page in self.ranges(session, scope, _EXPORT_PAGE):
            yield from map(self.named, page.rows.values())

    def named(self, row: Row) -> dict[str, Any]:
        return dict(zip(self.columns, row, strict=True))

    def record(self, session: Session, id: str) -> Row | None:
        """Return the number of the scope and the columns of a record, in whatever scope it is."""
        found = session.rows(self._sql["row_of_record",], {"space": self._space, "id": id})
        return found[0] if found else None

    def add(self, session: Session, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows; raise ConflictError if one contradicts another."""
        session.run_many(self._sql["add", "fail"], [{**row, "space": self._space} for row in rows])

    def add_if_new(self, session: Session, row: Mapping[str, Any]) -> int:
        """Add a row unless another one is in its place; return how many rows were added."""
        return session.run(self._sql["add", "skip"], {**row, "space": self._space})

    def put(self, session: Session, rows: Iterable[Row]) -> None:
        """Add rows, or overwrite the rows with the same keys."""
        params = [{**self.named(row), "space": self._space} for row in rows]
        session.run_many(self._sql["add", "replace"], params)

    def remove(self, session: Session, keys: Iterable[Row]) -> None:
        params = [{"space": self._space, **_numbered("after", key)} for key in keys]
        session.run_many(self._sql["remove",], params)


def statements(dialect: str) -> Statements:
    return load(dialect, _SQL)


def copied_tables(
    engine: Engine,
    session: Session,
    convert: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
) -> dict[str, TableRows]:
    """Return all tables with all columns but the space, sorted: rows of engines are comparable."""
    describe, tables = statements(engine.dialect)["describe",], {}
    for name in TABLES:
        described = session.rows(describe, {"table": name})
        primary = [column for column, place in sorted(described, key=lambda row: row[1]) if place]
        key = tuple(column for column in primary if column != "space")
        columns = sorted(column for column, _ in described if column != "space")
        converted = (convert or {}).get(name)
        table = StoredTable(name, key)
        tables[name] = TableRows(table, engine, columns, columns, primary, converted)
    return tables


def exported_tables(engine: Engine) -> dict[str, TableRows]:
    """Return the tables of an export with its columns. A number of one store is not exported."""
    tables = {}
    for name, table in EXPORTED.items():
        columns = tuple(column.name for column in formats()[name].columns)
        place: tuple[str, ...] = () if table.owner else ("scope",)
        if name == SCOPES:
            place = ("id", *(f"scope_{dimension}" for dimension in DIMENSIONS))
        tables[name] = TableRows(table, engine, columns, (*place, *columns))
    return tables


def _numbered(name: str, values: Sequence[Any]) -> dict[str, Any]:
    return {f"{name}_{number}": value for number, value in enumerate(values)}
