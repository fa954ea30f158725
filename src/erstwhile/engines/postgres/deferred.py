"""The changes of a transaction that nobody waits for, sent together to the server of the space.

Each way from the coordinator to that server takes longer than most changes. They are written into
the shards, so the rows that count themselves get their numbers on the coordinator before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import psycopg

from erstwhile.core.ports import Row
from erstwhile.engines.postgres.connection import Connection
from erstwhile.engines.postgres.shards import Prepared, Shards, written

_CHANGE = "SELECT change_here($1, $2, $3, $4, CAST($5 AS jsonb))"
_DRAW = "SELECT entry, passage FROM next_numbers($1)"
_DRAWN = 8
"""The numbers that a transaction draws if it needs more than the first."""
_MOST = 200
"""The changes that are sent at once."""
_COUNTED = {"audit": "number", "passages": "seq"}
"""The columns of the numbers, in the order of `next_numbers`."""
_COUNTED_BY_CITUS = re.compile(r"INSERT INTO (scopes|embedders|decisions|messages)\b")
_PARAMETER = re.compile(r"\$\d+")
_INSERTED = re.compile(r"INSERT INTO (\w+) \(")
_ALREADY_THERE = "SELECT add_terms("
"""The call of a function that runs beside the rows itself."""


class DeferredChanges:
    """Changes of one transaction, in their order."""

    def __init__(self, connection: Connection, shards: Shards, before: Callable[[], None]) -> None:
        """Let `before` send the reads that must not see the changes."""
        self._connection = connection
        self._shards = shards
        self._before = before
        self._suits = cache(self._runs_on_shards)
        self.begin()

    def begin(self) -> None:
        """Forget what an earlier transaction has left."""
        self._waiting: list[tuple[Prepared, list[str | None]]] = []
        self._drawing: psycopg.Cursor[Row] | None = None
        self._numbers: dict[str, list[int]] = {table: [] for table in _COUNTED}

    def draw(self, count: int = 1) -> None:
        """Ask for numbers. They grow within a scope, because its lock is held meanwhile."""
        self._drawing = self._connection.execute(_DRAW, [count], binary=True)

    def defer(self, text: str, values: Sequence[Any]) -> bool:
        """Take a change, unless it needs more than the shards."""
        if not self._suits(text):
            return False
        inserted = _INSERTED.match(text)
        if inserted and inserted[1] in _COUNTED:
            self._put(_with_number(text, inserted[1]), [*values, self._next(inserted[1])])
        else:
            self._put(text, values)
        return True

    def defer_passage(self, text: str, values: Sequence[Any]) -> list[Row] | None:
        """Take a new passage and return its number; None if the statement is another one."""
        insert, returned, column = text.rpartition("\nRETURNING ")
        if not returned or column != _COUNTED["passages"] or not self._suits(insert):
            return None
        number = self._next("passages")
        self._put(_with_number(insert, "passages"), [*values, number])
        return [(number,)]

    def flush(self) -> None:
        """Send what was taken."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._before()
            names, statements = zip(*(prepared for prepared, _ in waiting), strict=True)
            given = json.dumps([values for _, values in waiting])
            call = [*self._shards.place, list(names), list(statements), given]
            self._connection.execute(_CHANGE, call)

    def _put(self, text: str, values: Sequence[Any]) -> None:
        prepared = self._shards.prepared(text, tuple(map(type, values)))
        self._waiting.append((prepared, [written(value) for value in values]))
        if len(self._waiting) >= _MOST:
            self.flush()

    def _next(self, table: str) -> int:
        while not self._numbers[table]:
            if self._drawing is None:
                self.draw(_DRAWN)
            self._collect()
        return self._numbers[table].pop(0)

    def _collect(self) -> None:
        drawn, self._drawing = self._drawing, None
        for row in drawn.fetchall() if drawn else ():
            for numbers, number in zip(self._numbers.values(), row, strict=True):
                numbers.append(int(number))

    def _runs_on_shards(self, text: str) -> bool:
        if text.startswith("SELECT"):
            return text.startswith(_ALREADY_THERE)
        tables = self._shards.tables(text)
        answers = "RETURNING" in text and not text.startswith("WITH")
        if not tables or answers or _COUNTED_BY_CITUS.search(text):
            return False
        return self._shards.triggered.isdisjoint(tables)


def _with_number(insert: str, table: str) -> str:
    """Return a statement that inserts a row with its number, which is one more parameter."""
    place = len(set(_PARAMETER.findall(insert))) + 1
    return insert.replace("(", f"({_COUNTED[table]}, ", 1).replace(
        "VALUES (", f"VALUES (${place}, ", 1
    )
