"""Read the rows of a damaged SQLite file around its damaged pages.

The keys of a table come from the table, read from both ends, and from its indexes, which lie on
other pages than the rows. Then the rows are read by their keys, many at a time. If that fails, each
half is read alone, down to the rows that cannot be read. So a damaged page costs its own rows, or
all rows below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import apsw

_AT_ONCE = 256
_DAMAGE = (apsw.CorruptError, apsw.IOError, apsw.NotADBError, UnicodeDecodeError)
Values: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SalvagedTable:
    """A table: its columns, and the columns of its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


def described(connection: apsw.Connection, name: str) -> SalvagedTable:
    """Return the columns of a table. A table that has a row id is read by it."""
    listed = connection.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)).fetchall()
    [(without,)] = connection.execute(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", (name,)
    ).fetchall()
    primary = sorted((int(str(pk)), str(column)) for column, pk in listed if pk)
    key = tuple(column for _, column in primary) if without else ("rowid",)
    return SalvagedTable(name, tuple(str(column) for column, _ in listed), key)


def keys_of(connection: apsw.Connection, table: SalvagedTable) -> tuple[list[Values], bool]:
    """Return the keys that a table or its indexes still show, and whether one shows all of them."""
    ends = [", ".join(f"{column} {order}" for column in table.key) for order in ("ASC", "DESC")]
    ways = [f"NOT INDEXED ORDER BY {end}" for end in ends]
    ways += [f'INDEXED BY "{name}"' for name in _indexes(connection, table)]
    found: dict[Values, None] = {}
    whole = [_is_read(connection, table, way, found) for way in ways]
    return list(found), any(whole)


def rows_of(
    connection: apsw.Connection, table: SalvagedTable, keys: Sequence[Values]
) -> Iterator[tuple[Values, Values | None]]:
    """Yield each key with its row, or with None if the row cannot be read."""
    for start in range(0, len(keys), _AT_ONCE):
        yield from _read(connection, table, keys[start : start + _AT_ONCE])


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


def _read(
    connection: apsw.Connection, table: SalvagedTable, keys: Sequence[Values]
) -> Iterator[tuple[Values, Values | None]]:
    try:
        found = [(key, _row(connection, table, key)) for key in keys]
    except _DAMAGE:
        if len(keys) == 1:
            yield keys[0], None
            return
        half = len(keys) // 2
        yield from _read(connection, table, keys[:half])
        yield from _read(connection, table, keys[half:])
    else:
        yield from found


def _row(connection: apsw.Connection, table: SalvagedTable, key: Values) -> Values | None:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    match = " AND ".join(f"{column} = ?" for column in table.key)
    statement = f'SELECT {columns} FROM "{table.name}" NOT INDEXED WHERE {match}'  # noqa: S608
    return next(iter(connection.execute(statement, key).fetchall()), None)


def _is_read(
    connection: apsw.Connection, table: SalvagedTable, way: str, found: dict[Values, None]
) -> bool:
    """Add keys until a damaged page comes; return whether none came.

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


def _indexes(connection: apsw.Connection, table: SalvagedTable) -> list[str]:
    """Return the indexes that show every key."""
    rows = connection.execute(
        "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND origin <> 'pk'", (table.name,)
    ).fetchall()
    own = connection.execute(
        "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'", (table.name,)
    ).fetchall()
    return [str(name) for (name,) in (rows if table.key != ("rowid",) else [*own, *rows])]
