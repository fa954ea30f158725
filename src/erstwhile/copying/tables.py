"""The tables of a memory, read and compared in ranges of their keys.

Other tables are derived from these: the full-text index, and the vector index of an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erstwhile.core.ports import Engine, Row, Session
from erstwhile.decisions.vouching import unvouched
from erstwhile.storage.statements import Statements, load

TABLES = (
    "scopes", "facts", "fact_versions", "fact_tags", "entities", "entity_names", "fact_entities",
    "relations", "blocks", "block_versions", "decisions", "conversations", "messages",
    "compactions", "sessions", "identities", "tasks", "task_runs", "checkpoints", "snapshots",
    "outcomes", "lessons", "observations", "limitations", "usage", "onboarding",
    "learning", "attempts", "conflicts", "audit", "passages", "shelves", "embedders", "vectors",
    "outbox", "fact_uses", "feedback",
)  # fmt: skip
"""In the order of their references: each table follows the tables that it refers to."""
EVERYTHING = 2**62

_SQL = Path(__file__).parent / "statements"
_SPACE = "space"
_SIZE = 1_000
"""The number of rows that are read at a time."""


class CopiedTable:
    """One table of one engine: its columns except the space, and the key without it.

    The columns are sorted, so that rows of two engines can be compared.
    """

    def __init__(self, name: str, described: Sequence[Row], sql: Statements, space: str) -> None:
        primary = [column for column, place in sorted(described, key=_place) if place]
        self.name = name
        self.columns = sorted(column for column, _ in described if column != _SPACE)
        self._key = [column for column in primary if column != _SPACE]
        self._key_places = [self.columns.index(column) for column in self._key]
        self._space = space
        self._sql = sql.filled(self._fragments(primary))

    def key(self, row: Row) -> Row:
        return tuple(row[place] for place in self._key_places)

    def named(self, row: Row) -> dict[str, Any]:
        return dict(zip(self.columns, row, strict=True))

    def count(self, session: Session) -> int:
        return int(session.rows(self._sql["count_rows",], {"space": self._space})[0][0])

    def rows(
        self, session: Session, after: Row | None, last: Row | None = None, limit: int = EVERYTHING
    ) -> list[Row]:
        """Return the rows with keys after `after` and up to `last`, in the order of the key."""
        choices = "first" if after is None else "later", "end" if last is None else "last"
        params = {**_numbered("after", after or ()), **_numbered("last", last or ())}
        return session.rows(
            self._sql["rows", *choices], {"space": self._space, "limit": limit, **params}
        )

    def put(self, session: Session, rows: Sequence[Row]) -> None:
        """Add rows, or overwrite the rows with the same keys."""
        session.run_many(
            self._sql["put",], [{"space": self._space, **_numbered("value", row)} for row in rows]
        )

    def remove(self, session: Session, keys: Sequence[Row]) -> None:
        session.run_many(
            self._sql["remove",], [{"space": self._space, **_numbered("key", key)} for key in keys]
        )

    def _fragments(self, primary: Sequence[str]) -> dict[str, str]:
        rest = [column for column in self.columns if column not in self._key]
        changes = ", ".join(f"{column} = excluded.{column}" for column in rest)
        return {
            "table": self.name,
            "columns": ", ".join(self.columns),
            "key": ", ".join(self._key),
            "identity": ", ".join(primary),
            "after": _markers("after", self._key),
            "last": _markers("last", self._key),
            "values": _markers("value", self.columns),
            "values_of_key": _markers("key", self._key),
            "otherwise": f"UPDATE SET {changes}" if rest else "NOTHING",
        }


class UnvouchedDecisions(CopiedTable):
    """The decisions of a source that nobody vouches for, as they come to the target."""

    def rows(
        self, session: Session, after: Row | None, last: Row | None = None, limit: int = EVERYTHING
    ) -> list[Row]:
        found = super().rows(session, after, last, limit)
        return [tuple(unvouched(self.named(row)).values()) for row in found]


def statements(dialect: str) -> Statements:
    return load(dialect, _SQL)


def tables_of(engine: Engine, session: Session, *, vouch: bool = True) -> list[CopiedTable]:
    """Return all tables of an engine."""
    sql = statements(engine.dialect)
    kinds = {} if vouch else {"decisions": UnvouchedDecisions}
    return [
        kinds.get(name, CopiedTable)(
            name, session.rows(sql["describe",], {"table": name}), sql, engine.space
        )
        for name in TABLES
    ]


@dataclass(frozen=True, slots=True)
class RowRange:
    """The rows of the source in a range of keys."""

    rows: list[Row]
    after: Row | None
    last: Row | None

    def changed(self, table: CopiedTable, session: Session) -> list[Row]:
        """Return the rows that differ in the target."""
        there = self._there(table, session)
        return [row for row in self.rows if there.get(table.key(row), row) != row]

    def missing(self, table: CopiedTable, session: Session) -> list[Row]:
        """Return the rows that differ in the target, or are missing there."""
        there = self._there(table, session)
        return [row for row in self.rows if there.get(table.key(row)) != row]

    def surplus(self, table: CopiedTable, session: Session) -> list[Row]:
        """Return the keys that only the target has."""
        here = {table.key(row) for row in self.rows}
        return [key for key in self._there(table, session) if key not in here]

    def _there(self, table: CopiedTable, session: Session) -> dict[Row, Row]:
        rows = table.rows(session, self.after, self.last)
        return {table.key(row): row for row in rows}


def ranges(table: CopiedTable, session: Session) -> Iterator[RowRange]:
    after: Row | None = None
    while True:
        rows = table.rows(session, after, limit=_SIZE)
        last = table.key(rows[-1]) if len(rows) == _SIZE else None
        yield RowRange(rows, after, last)
        if last is None:
            return
        after = last


def _place(described: Row) -> int:
    return int(described[1])


def _numbered(name: str, values: Row) -> dict[str, Any]:
    return {f"{name}_{number}": value for number, value in enumerate(values)}


def _markers(name: str, columns: Sequence[str]) -> str:
    return ", ".join(f":{name}_{number}" for number in range(len(columns)))
