"""Reads and changes of a transaction, sent in batches to the server that holds the space.

A round trip from the coordinator to that server takes longer than most statements. So reads wait
until rows are needed, and changes until something reads. Changes go directly into the shards, so
rows with generated numbers get them on the coordinator first. Citus plans a statement twice for
each call, which takes longer than the statement itself. A function beside the rows (`cluster.sql`)
runs it on the shards, and PostgreSQL keeps its plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.types.composite import RecordBinaryLoader

from erstwhile.core.ports import Row
from erstwhile.engines.postgres.citus.distribution import check_counters, is_distributed
from erstwhile.engines.postgres.connection import Connection
from erstwhile.engines.postgres.session import FORWARDING, PostgresSession, TransactionSettings
from erstwhile.storage.statements import load

_CHANGE = "SELECT change_here($1, $2, $3, $4, CAST($5 AS jsonb))"
_DRAW = "SELECT entry, passage FROM next_numbers($1)"
_DRAWN = 8
"""The numbers that a transaction draws if it needs more than the first."""
_MAX_WAITING = 200
"""The changes that are sent at once."""
_COUNTED = {"audit": "number", "passages": "seq"}
"""The columns of the numbers, in the order of `next_numbers`."""
_COUNTED_BY_CITUS = re.compile(r"INSERT INTO (scopes|embedders|decisions|messages)\b")
_PARAMETER = re.compile(r"\$\d+")
_INSERTED = re.compile(r"INSERT INTO (\w+) \(")
_ALREADY_THERE = "SELECT add_terms("
"""The call of a function that runs beside the rows itself."""


class PipelinedChanges:
    """Changes of one transaction, in their order."""

    def __init__(self, connection: Connection, shards: Shards, before: Callable[[], None]) -> None:
        """Let `before` send the reads that must not see the changes."""
        self._connection = connection
        self._shards = shards
        self._before = before
        self._suits = cache(self._runs_on_shards)
        self.begin()

    def begin(self) -> None:
        """Discard the rest of an earlier transaction."""
        self._waiting: list[tuple[Prepared, list[str | None]]] = []
        self._drawing: psycopg.Cursor[Row] | None = None
        self._numbers: dict[str, list[int]] = {table: [] for table in _COUNTED}

    def draw(self, count: int = 1) -> None:
        """Reserve numbers. They grow within a scope, because its lock is held meanwhile."""
        self._drawing = self._connection.execute(_DRAW, [count], binary=True)

    def defer(self, text: str, values: Sequence[Any]) -> bool:
        """Queue a change, unless it needs more than the shards."""
        if not self._suits(text):
            return False
        inserted = _INSERTED.match(text)
        if inserted and inserted[1] in _COUNTED:
            self._put(_with_number(text, inserted[1]), [*values, self._next(inserted[1])])
        else:
            self._put(text, values)
        return True

    def defer_passage(self, text: str, values: Sequence[Any]) -> list[Row] | None:
        """Queue a new passage and return its number; None for another statement."""
        insert, returned, column = text.rpartition("\nRETURNING ")
        if not returned or column != _COUNTED["passages"] or not self._suits(insert):
            return None
        number = self._next("passages")
        self._put(_with_number(insert, "passages"), [*values, number])
        return [(number,)]

    def flush(self) -> None:
        """Send the queued changes."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._before()
            names, statements = zip(*(prepared for prepared, _ in waiting), strict=True)
            given = json.dumps([values for _, values in waiting])
            call = [*self._shards.place, list(names), list(statements), given]
            self._connection.execute(_CHANGE, call)

    def _put(self, text: str, values: Sequence[Any]) -> None:
        prepared = self._shards.prepared(text, tuple(map(type, values)))
        self._waiting.append((prepared, [to_sql_text(value) for value in values]))
        if len(self._waiting) >= _MAX_WAITING:
            self.flush()

    def _next(self, table: str) -> int:
        while not self._numbers[table]:
            if self._drawing is None:
                self.draw(_DRAWN)
            drawn, self._drawing = self._drawing, None
            for row in drawn.fetchall() if drawn else ():
                for numbers, number in zip(self._numbers.values(), row, strict=True):
                    numbers.append(int(number))
        return self._numbers[table].pop(0)

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


Fetch = Callable[[], list[Row]]

_READ_ALL = "SELECT place, answer FROM read_all_here($1, $2, $3, $4, CAST($5 AS jsonb))"
_CHANGES = re.compile(r"\b(?:INSERT|UPDATE|DELETE)\b")
"""What a read has no word of. Also a read that locks rows (FOR UPDATE) is left to Citus."""


class _ReadBatch:
    """Reads that go together, and the functions that return their rows after they are sent."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Sequence[Any]]] = []
        self.sent: Sequence[Fetch] = ()


class PipelinedReads:
    """The reads of one transaction that wait."""

    def __init__(self, connection: Connection, shards: Shards) -> None:
        self._connection = connection
        self._shards = shards
        self._suits = cache(self._runs_on_shards)
        self._record = RecordBinaryLoader(0, connection)
        self.begin()

    def begin(self) -> None:
        """Discard the rest of an earlier transaction."""
        self._waiting = _ReadBatch()

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
        gathering, self._waiting = self._waiting, _ReadBatch()
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
        given = json.dumps([[to_sql_text(value) for value in values] for _, values in asked])
        call = [*self._shards.place, list(names), list(statements), given]
        cursor: psycopg.Cursor[Row] = self._connection.execute(_READ_ALL, call, binary=True)
        answers = cache(partial(self._answers, cursor, len(asked)))
        return [partial(lambda place: answers()[place], place) for place in range(len(asked))]

    def _answers(self, cursor: psycopg.Cursor[Row], many: int) -> list[list[Row]]:
        """Return the rows of each statement. A row in binary form has the types of its values."""
        rows: list[list[Row]] = [[] for _ in range(many)]
        for place, answer in cursor.fetchall():
            rows[place - 1].append(self._record.load(answer))
        return rows

    def _runs_on_shards(self, text: str) -> bool:
        return bool(self._shards.tables(text)) and not _CHANGES.search(text)


class ShardPipeline:
    """Reads and changes that wait to be sent together.

    A read sends the changes that wait, and changes send the reads that wait before them. So a read
    sees the changes before it, and none after it.
    """

    def __init__(self, connection: Connection, shards: Shards) -> None:
        self._reads = PipelinedReads(connection, shards)
        self.changes = PipelinedChanges(connection, shards, self._reads.send)

    def begin(self) -> None:
        """Discard the rest of an earlier transaction."""
        self._reads.begin()
        self.changes.begin()

    def read(self, text: str, values: Sequence[Any]) -> Fetch:
        """Take a statement that returns rows, and return a function that returns them."""
        added = self.changes.defer_passage(text, values)
        if added is not None:
            return lambda: added
        self.changes.flush()
        return self._reads.read(text, values)

    def flush(self) -> None:
        """Send the waiting statements."""
        self._reads.send()
        self.changes.flush()


def open_session(
    connection: Connection, settings: TransactionSettings, *, pooled: bool
) -> PostgresSession:
    """Return a session on a server with Citus, whose tables may be distributed."""
    if not is_distributed(connection, settings.patience):
        return PostgresSession(connection, settings)
    check_counters(connection)
    # Behind a pooler, a connection would keep the plans of many spaces.
    shards = None if pooled else Shards(connection, settings.space)
    pipeline = ShardPipeline(connection, shards) if shards else None
    return PostgresSession(connection, replace(settings, distributed=True), pipeline)


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
