"""Statements and transactions on one SQLite connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import apsw

from erstwhile.core.errors import CorruptError
from erstwhile.core.ports import Params, Row, Session

Result = TypeVar("Result")


class SqliteSession:
    """Statements and transactions on one connection."""

    __slots__ = ("_execute", "connection")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._execute = connection.cursor().execute

    def rows(self, statement: str, params: Params) -> list[Row]:
        try:
            return self._execute(statement, params).fetchall()
        except UnicodeDecodeError as error:
            raise CorruptError("a stored text is damaged", remedy="restore a copy") from error

    def ahead(self, statement: str, params: Params) -> Callable[[], list[Row]]:
        rows = self.rows(statement, params)
        return lambda: rows

    def run(self, statement: str, params: Params) -> int:
        self._execute(statement, params)
        return self.connection.changes()

    def send(self, statement: str, params: Params) -> None:
        self._execute(statement, params)

    def take_turn(self, scope: Sequence[str] | None) -> None:
        """Do nothing: a writer locks the whole file."""

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        self.connection.cursor().executemany(statement, many)

    @property
    def open(self) -> bool:
        return self.connection.in_transaction

    def begin(self, how: str = "IMMEDIATE") -> None:
        self._execute(f"BEGIN {how}")

    def commit(self) -> None:
        self._execute("COMMIT")

    def rollback(self) -> None:
        if self.open:
            self._execute("ROLLBACK")

    def look(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` on one snapshot, and roll back."""
        try:
            self.begin("DEFERRED")
            return work(self)
        finally:
            self.rollback()

    def attempt(self, work: Callable[[], object]) -> None:
        self._execute("SAVEPOINT job")
        try:
            work()
        except BaseException:
            if self.open:  # such as a full disk, which ends the whole transaction
                self._execute("ROLLBACK TO job; RELEASE job")
            raise
        self._execute("RELEASE job")
