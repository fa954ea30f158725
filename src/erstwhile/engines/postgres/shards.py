"""Joins of a distributed database, read on the server of their space with plans that are kept.

Citus plans a join twice for each call, on the coordinator and on the server that holds the space,
which takes longer than the join itself. So a join that has been answered once is sent to a function
beside the rows (`cluster.sql`), in the names of the shards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import psycopg

from erstwhile.core.ports import Row
from erstwhile.engines.postgres.connection import Connection

_FUNCTION = "SELECT 1 WHERE to_regproc('erstwhile.read_here') IS NOT NULL"
_SHARDS = """SELECT c.relname, get_shard_id_for_distribution_column(p.logicalrelid, $1::text)
  FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
  WHERE c.relnamespace = 'erstwhile'::regnamespace"""
_VIEWS = """SELECT c.relname FROM pg_class AS c
  WHERE c.relkind = 'v' AND c.relnamespace = 'erstwhile'::regnamespace"""
_CALL = "SELECT * FROM read_here($1, $2, $3, $4, $5) AS answer ({columns})"
_SOURCE = re.compile(r"\b(FROM|JOIN)\s+(\w+)\b(?!\()")
_TYPES = {str: "text", int: "bigint", float: "float8", bytes: "bytea", type(None): "unknown"}
_calls: dict[str, str] = {}
"""The calls of the joins that were answered. Their columns depend on the text of the join alone."""


class Shards:
    """The tables of one space, by the names that they have on its server."""

    def __init__(self, connection: Connection, space: str) -> None:
        self._space = space
        self._numbers = {
            str(table): int(str(shard))
            for table, shard in connection.execute(_SHARDS, [space]).fetchall()
        }
        self._views = frozenset(str(name) for (name,) in connection.execute(_VIEWS))
        self._prepared = cache(self._to_prepare)

    def call(self, text: str, values: Sequence[Any]) -> tuple[str, list[Any]] | None:
        """Return the call that answers a join; None if it is another statement, or a new one."""
        call = _calls.get(text)
        types = tuple(map(type, values))
        if call is None or not _TYPES.keys() >= set(types):
            return None
        known, statement = self._prepared(text, types)
        place = (self._space, self._numbers["commits"])
        return call, [*place, known, statement, list(map(_written, values))]

    def learn(self, text: str, answered: psycopg.Cursor[Row]) -> None:
        """Remember the columns of a join, for its next calls."""
        found = [psycopg.adapters.types.get(each.type_code) for each in answered.description or ()]
        if text not in _calls and self._joins(text) and all(found):
            named = (f"c{place} {each.name}" for place, each in enumerate(found) if each)
            _calls[text] = _CALL.format(columns=", ".join(named))

    def _joins(self, text: str) -> bool:
        sources = [name for _, name in _SOURCE.findall(text)]
        tables = [name for name in sources if name in self._numbers]
        return len(tables) > 1 and self._views.isdisjoint(sources)

    def _to_prepare(self, text: str, types: tuple[type, ...]) -> tuple[str, str]:
        """Return a name that tells the statement, and what the server prepares under it."""
        here = _SOURCE.sub(lambda found: f"{found[1]} {self._name(found[2])}", text)
        prepared = f"({', '.join(_TYPES[each] for each in types)}) AS {here}"
        return f"erstwhile_{blake2b(prepared.encode(), digest_size=16).hexdigest()}", prepared

    def _name(self, source: str) -> str:
        return f"{source}_{self._numbers[source]}" if source in self._numbers else source


def shards_of(connection: Connection, space: str) -> Shards | None:
    """Return the shards of a space; None if the database was distributed without `read_here`."""
    return Shards(connection, space) if connection.execute(_FUNCTION).fetchall() else None


def _written(value: Any) -> str | None:
    """Return a value as a text that the server reads as its type."""
    if value is None:
        return None
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)
