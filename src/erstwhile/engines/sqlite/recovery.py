"""Read the rows of a damaged SQLite file around its damaged pages.

The keys of a table come from the table, read from both ends, and from its indexes, which lie on
other pages than the rows. Then the rows are read by their keys, many at a time. If that fails, each
half is read alone, down to the rows that cannot be read. So a damaged page costs its own rows, or
all rows below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import apsw

from erstwhile.core.ids import MAX_ID
from erstwhile.engines.sqlite.engine import SPACE
from erstwhile.engines.sqlite.raw_pages import RawRow

_AT_ONCE = 256
_DAMAGE = (apsw.CorruptError, apsw.IOError, apsw.NotADBError, UnicodeDecodeError)
Values: TypeAlias = tuple[Any, ...]
_ROW_ID = ("rowid",)
_ID = re.compile(rf"[0-9a-f-]{{{len(MAX_ID)}}}")
_IDS = {"id", "fact", "entity", "older", "newer", "record", "task", "conversation"}
"""The columns that hold the id of a record wherever they are text that must be there."""
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?)'
_TYPES = {"TEXT": str, "INTEGER": int, "BLOB": bytes}


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    required: bool

    def fits(self, value: object) -> bool:
        if value is None:
            return not self.required
        if self.type == "REAL":
            return isinstance(value, float | int)
        if not isinstance(value, _TYPES[self.type]):
            return False
        return not isinstance(value, str) or self._has_form(value)

    def _has_form(self, text: str) -> bool:
        if self.name == "space":
            return text == SPACE
        return not self.is_id or bool(_ID.fullmatch(text))

    @property
    def is_id(self) -> bool:
        return self.required and self.type == "TEXT" and self.name in _IDS


@dataclass(frozen=True, slots=True)
class TableShape:
    """The columns of a table, in the order in which a row stores them."""

    name: str
    stored: tuple[_Column, ...]
    key: tuple[str, ...]
    """The columns of the key; a table that numbers its rows is read by the number."""
    alias: str | None
    """The column that is the number of the row, and is not stored."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.stored)

    @property
    def distinct(self) -> int:
        """Number of id columns, to distinguish tables with the same types."""
        return sum(column.is_id for column in self.stored)

    def row(self, found: RawRow) -> dict[str, Any] | None:
        """Return the values of a row by column, or None if it belongs to another table."""
        if len(found.values) != len(self.stored) or (found.number is not None) != (
            self.key == _ROW_ID
        ):
            return None
        named = {
            column.name: found.number if column.name == self.alias and value is None else value
            for column, value in zip(self.stored, found.values, strict=True)
        }
        return named if self.fits(named) else None

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Return whether the values of a row, by column, have the right types and forms."""
        return all(column.fits(row[column.name]) for column in self.stored)


def shape_of(connection: apsw.Connection, name: str) -> TableShape:
    """Return the shape of a table. One without row numbers stores its key first."""
    listed = [
        (_Column(str(column), str(kind), bool(required)), int(str(place)))
        for column, kind, required, place in connection.execute(_COLUMNS, (name,))
    ]
    [(without,)] = connection.execute(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", (name,)
    )
    keys = [column for column, place in sorted(listed, key=lambda each: each[1]) if place]
    if without:
        rest = (column for column, place in listed if not place)
        return TableShape(name, (*keys, *rest), tuple(column.name for column in keys), None)
    alias = keys[0].name if len(keys) == 1 and keys[0].type == "INTEGER" else None
    return TableShape(name, tuple(column for column, _ in listed), _ROW_ID, alias)


def keys_of(connection: apsw.Connection, table: TableShape) -> tuple[list[Values], bool]:
    """Return the keys that a table or its indexes still show, and whether one shows all of them."""
    ends = [", ".join(f"{column} {order}" for column in table.key) for order in ("ASC", "DESC")]
    ways = [f"NOT INDEXED ORDER BY {end}" for end in ends]
    ways += [f'INDEXED BY "{name}"' for name in _indexes(connection, table)]
    found: dict[Values, None] = {}
    whole = [_is_read(connection, table, way, found) for way in ways]
    return list(found), any(whole)


def rows_of(
    connection: apsw.Connection, table: TableShape, keys: Sequence[Values]
) -> Iterator[tuple[Values, Values | None]]:
    """Yield each key with its row, or with None if the row cannot be read."""
    for start in range(0, len(keys), _AT_ONCE):
        yield from _read_by_halves(connection, table, keys[start : start + _AT_ONCE])


def references(
    connection: apsw.Connection, table: str
) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    """Yield the tables that a table refers to, each with the pairs of columns."""
    listed = connection.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?)', (table,)
    ).fetchall()
    for number in sorted({int(str(row[0])) for row in listed}):
        own = [row for row in listed if row[0] == number]
        yield str(own[0][1]), [(str(here), str(there)) for _, _, here, there in own]


def _read_by_halves(
    connection: apsw.Connection, table: TableShape, keys: Sequence[Values]
) -> Iterator[tuple[Values, Values | None]]:
    try:
        found = [(key, _row(connection, table, key)) for key in keys]
    except _DAMAGE:
        if len(keys) == 1:
            yield keys[0], None
            return
        half = len(keys) // 2
        yield from _read_by_halves(connection, table, keys[:half])
        yield from _read_by_halves(connection, table, keys[half:])
    else:
        yield from found


def _row(connection: apsw.Connection, table: TableShape, key: Values) -> Values | None:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    match = " AND ".join(f"{column} = ?" for column in table.key)
    statement = f'SELECT {columns} FROM "{table.name}" NOT INDEXED WHERE {match}'  # noqa: S608
    return next(iter(connection.execute(statement, key).fetchall()), None)


def _is_read(
    connection: apsw.Connection, table: TableShape, way: str, found: dict[Values, None]
) -> bool:
    """Add keys up to the first damaged page; return whether there was none.

    A page whose end was cut off has its rows, but each with the same empty key.
    """
    statement = f'SELECT {", ".join(table.key)} FROM "{table.name}" {way}'  # noqa: S608
    rows, keys = 0, dict[Values, None]()
    try:
        for key in connection.execute(statement):
            keys[key] = None
            rows += 1
    except (*_DAMAGE, apsw.SQLError):
        return False
    finally:
        found |= keys
    return rows == len(keys)


def _indexes(connection: apsw.Connection, table: TableShape) -> list[str]:
    """Return the indexes that show every key."""
    listed = "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND (origin <> 'pk' OR ?)"
    rows = connection.execute(listed, (table.name, table.key == _ROW_ID)).fetchall()
    return [str(name) for (name,) in rows]
