"""The reads of a transaction, sent together to the server of the space.

Each way from the coordinator to that server takes longer than most reads. So a read waits until the
rows of one of them are needed, or until something is changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import psycopg
from psycopg.types.composite import RecordBinaryLoader

from erstwhile.core.ports import Row
from erstwhile.engines.postgres.connection import Connection
from erstwhile.engines.postgres.shards import Shards, written

Fetch = Callable[[], list[Row]]

_READ_ALL = "SELECT place, answer FROM read_all_here($1, $2, $3, $4, CAST($5 AS jsonb))"
_CHANGES = re.compile(r"\b(?:INSERT|UPDATE|DELETE)\b")
"""What a read has no word of. Also a read that locks rows (FOR UPDATE) is left to Citus."""


class _WaitingReads:
    """Reads that go together, and the functions that return their rows after they are sent."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Sequence[Any]]] = []
        self.sent: Sequence[Fetch] = ()


class GatheredReads:
    """The reads of one transaction that wait."""

    def __init__(self, connection: Connection, shards: Shards) -> None:
        self._connection = connection
        self._shards = shards
        self._suits = cache(self._runs_on_shards)
        self._record = RecordBinaryLoader(0, connection)
        self.begin()

    def begin(self) -> None:
        """Forget what an earlier transaction has left."""
        self._waiting = _WaitingReads()

    def read(self, text: str, values: Sequence[Any]) -> Fetch:
        """Take a statement that returns rows, and return a function that returns them."""
        if not self._suits(text):
            self.send()
            return self._alone(text, values)
        gathering = self._waiting
        place = len(gathering.asked)
        gathering.asked.append((text, values))

        def fetched() -> list[Row]:
            if gathering is self._waiting:
                self.send()
            return gathering.sent[place]()

        return fetched

    def send(self) -> None:
        """Send the reads that wait."""
        gathering, self._waiting = self._waiting, _WaitingReads()
        if len(gathering.asked) == 1:
            gathering.sent = [self._alone(*gathering.asked[0])]
        elif gathering.asked:
            gathering.sent = self._together(gathering.asked)

    def _alone(self, text: str, values: Sequence[Any]) -> Fetch:
        """Send a statement: to the shards if its columns are known from its first call."""
        call = self._shards.read(text, values)
        if call is not None:
            return self._connection.execute(*call, binary=True).fetchall
        cursor = self._connection.execute(text, values, binary=True)

        def fetched() -> list[Row]:
            rows = cursor.fetchall()
            self._shards.learn(text, cursor)
            return rows

        return fetched

    def _together(self, asked: Sequence[tuple[str, Sequence[Any]]]) -> list[Fetch]:
        prepared = [self._shards.prepared(text, tuple(map(type, some))) for text, some in asked]
        names, statements = zip(*prepared, strict=True)
        given = json.dumps([[written(value) for value in values] for _, values in asked])
        call = [*self._shards.place, list(names), list(statements), given]
        cursor: psycopg.Cursor[Row] = self._connection.execute(_READ_ALL, call, binary=True)
        answers = cache(partial(self._answers, cursor, len(asked)))
        return [partial(lambda place: answers()[place], place) for place in range(len(asked))]

    def _answers(self, cursor: psycopg.Cursor[Row], many: int) -> list[list[Row]]:
        """Return the rows of each statement. A row in binary form tells the types of its values."""
        rows: list[list[Row]] = [[] for _ in range(many)]
        for place, answer in cursor.fetchall():
            rows[place - 1].append(self._record.load(answer))
        return rows

    def _runs_on_shards(self, text: str) -> bool:
        return bool(self._shards.tables(text)) and not _CHANGES.search(text)
