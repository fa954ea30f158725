"""Statements of a distributed database in the names of the shards of one space.

Citus plans a statement twice for each call, on the coordinator and on the server that holds the
space, which takes longer than the statement itself. A function beside the rows (`cluster.sql`) runs
it on the shards, and PostgreSQL keeps its plan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from erstwhile.core.ports import Row
from erstwhile.engines.postgres.connection import Connection
from erstwhile.engines.postgres.session import FORWARDING
from erstwhile.storage.statements import load

_SQL = load("postgres", Path(__file__).parent / "sql")
_READ = "SELECT * FROM read_here($1, $2, $3, $4, $5) AS answer ({columns})"
SOURCE = re.compile(r"(\b(?:FROM|JOIN|INTO|UPDATE)\s+|,\s+(?=\w+\s+AS\b))(\w+)\b(?!\()(\s+AS\b)?")
"""Where a statement names a table: after such a word, or after a comma with another name."""
_TYPES = {bool: "bool", int: "bigint", float: "float8", bytes: "bytea", type(None): "unknown"}
_reads: dict[str, str] = {}
"""The calls of the joins that were answered. Their columns depend on the text of the join alone."""


class Prepared(NamedTuple):
    """A statement with the names of the shards, under a name made from its text."""

    name: str
    statement: str


class Shards:
    """The tables of one space, by the names that they have on its server."""

    def __init__(self, connection: Connection, space: str) -> None:
        connection.execute(f"SET {FORWARDING}")
        self._numbers = {
            str(table): int(str(shard))
            for table, shard in connection.execute(_SQL["shards",], [space]).fetchall()
        }
        self.place = (space, self._numbers["commits"])
        """The space, and the number by which a server knows that these are its shards still."""
        self._views = frozenset(str(name) for (name,) in connection.execute(_SQL["views",]))
        self.triggered = frozenset(
            str(name) for (name,) in connection.execute(_SQL["tables_with_triggers",])
        )
        """The tables whose changes cause others, which Citus has to plan."""
        self.prepared = cache(self._prepared)
        self.tables = cache(self._tables)

    def read(self, text: str, values: Sequence[Any]) -> tuple[str, list[Any]] | None:
        """Return the call that answers a join; None if it is another statement, or a new one."""
        call = _reads.get(text)
        if call is None:
            return None
        prepared = self.prepared(text, tuple(map(type, values)))
        return call, [*self.place, *prepared, [to_sql_text(value) for value in values]]

    def learn(self, text: str, answered: psycopg.Cursor[Row]) -> None:
        """Remember the columns of a join, for its next calls."""
        found = [psycopg.adapters.types.get(each.type_code) for each in answered.description or ()]
        if text not in _reads and self._is_join(text) and all(found):
            named = (f"c{place} {each.name}" for place, each in enumerate(found) if each)
            _reads[text] = _READ.format(columns=", ".join(named))

    def _is_join(self, text: str) -> bool:
        """Return whether a statement joins tables, or one with a list (WITH).

        Citus plans a read of one table as fast as a call of the function.
        """
        tables = self.tables(text)
        return len(tables) > 1 or (len(tables) == 1 and text.startswith("WITH"))

    def _tables(self, text: str) -> tuple[str, ...]:
        """Return the tables that a statement names; none if it needs more than shards."""
        sources = [name for _, name, _ in SOURCE.findall(text)]
        if not self._views.isdisjoint(sources):
            return ()
        return tuple(name for name in sources if name in self._numbers)

    def _prepared(self, text: str, types: tuple[type, ...]) -> Prepared:
        here = SOURCE.sub(self._renamed, text)
        statement = f"({', '.join(_TYPES.get(each, 'text') for each in types)}) AS {here}"
        digest = blake2b(statement.encode(), digest_size=16).hexdigest()
        return Prepared(f"erstwhile_{digest}", statement)

    def _renamed(self, found: re.Match[str]) -> str:
        """Return the source of rows by the name of its shard. Columns may name it by its own."""
        table = found[2]
        if table not in self._numbers:
            return found[0]
        return f"{found[1]}{table}_{self._numbers[table]}{found[3] or f' AS {table}'}"


def to_sql_text(value: Any) -> str | None:
    """Return a value as a text that the server reads as its type."""
    if value is None:
        return None
    if isinstance(value, str):
        return str.__str__(value)
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)
