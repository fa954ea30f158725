"""Readers for files of other programs: JSON, JSON lines, and SQLite databases."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.time import parse_moment

_SQLITE = b"SQLite format 3\0"
MAX_SIZE = 500_000_000
"""The bytes of a file that is read as a whole: as objects it takes several times as much."""
_TABLES = (
    "SELECT name, sql LIKE 'CREATE VIRTUAL%' AS is_virtual FROM sqlite_master WHERE type = 'table'"
)
NAMED_TABLE = re.compile(r"\b(?:FROM|JOIN) (\w+)")
"""Finds the tables of a statement."""
_MILLISECONDS = 1e11
"""Numbers beyond this are milliseconds since 1970, smaller ones are seconds."""


def read_file(file: Path) -> str:
    """Return the text of a file; raise InvalidInputError if it is too large to be read whole."""
    with _readable(file):
        if (size := file.stat().st_size) > MAX_SIZE:
            raise InvalidInputError(
                f"{file} has {size:,} bytes, and {MAX_SIZE:,} are read at most",
                remedy="split it into files of fewer records, and import one after the other",
            )
        return file.read_text("utf-8-sig")


def read_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbers and lines of a file of any size, without blank ones.

    Only a line feed ends a line.
    """
    with _readable(file), file.open(encoding="utf-8-sig", newline="\n") as opened:
        yield from ((number, line) for number, line in enumerate(opened, 1) if line.strip())


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Raise errors that name the file."""
    try:
        yield
    except UnicodeDecodeError:
        raise InvalidInputError(f"{file} is not a text in UTF-8", remedy="check the file") from None
    except OSError as error:
        raise _unreadable(file, error) from None


def read_json(file: Path) -> Any:
    try:
        return json.loads(read_file(file))
    except (ValueError, RecursionError):
        raise InvalidInputError(f"{file} is not JSON", remedy="check the file") from None


def is_database(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise _unreadable(file, error) from None


class ProgramDatabase:
    """A SQLite database of another program, opened for reading."""

    def __init__(self, file: Path) -> None:
        self._file = file
        if not is_database(file):
            raise InvalidInputError(f"{file} is not a SQLite database", remedy="check the file")

    def has(self, table: str) -> bool:
        """Return whether there is a table with a row."""
        return next(self.rows(table), None) is not None

    def others(self, *known: str) -> Iterator[tuple[str, int]]:
        """Yield the names and sizes of the other tables with rows, without search indexes."""
        with self._opened() as connection:
            found = self._tables(connection)
        virtual = [f"{name}_" for name, is_virtual in found.items() if is_virtual]
        for name, is_virtual in found.items():
            own = is_virtual or name in known or name.startswith(("sqlite_", *virtual))
            if not own and (count := self._size(name)):
                yield name, count

    def select(self, statement: str) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a statement. There are none if none of its tables exists.

        Raise InvalidInputError if only some of them are missing, or a column.
        """
        with self._opened() as connection:
            if self._tables(connection).keys() & set(NAMED_TABLE.findall(statement)):
                yield from map(dict, connection.execute(statement))

    def rows(self, table: str, *wanted: str) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a table in the order of their storage.

        A missing table has no rows. Raise InvalidInputError if it lacks a wanted column.
        """
        with self._opened() as connection:
            found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            columns = [row["name"] for row in found]
            if not columns:
                return
            if missing := set(wanted) - set(columns):
                raise InvalidInputError(
                    f"{self._file}: the table {table} has no {min(missing)}",
                    remedy="check which program and version wrote it",
                )
            name = table.replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608
                yield dict(row)

    def _size(self, table: str) -> int:
        quoted = table.replace('"', '""')
        with self._opened() as connection:
            [count] = connection.execute(f'SELECT count(*) FROM "{quoted}"').fetchone()  # noqa: S608
        return int(count)

    @staticmethod
    def _tables(connection: sqlite3.Connection) -> dict[str, bool]:
        """Return the names of the tables, and whether each is virtual."""
        return {row["name"]: bool(row["is_virtual"]) for row in connection.execute(_TABLES)}

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        uri = f"{self._file.resolve().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                connection.row_factory = sqlite3.Row
                yield connection
        except sqlite3.Error as error:
            raise InvalidInputError(
                f"{self._file} cannot be read ({error})",
                remedy="check the file, and which version of the program wrote it",
            ) from None


def time_of(value: Any) -> datetime | None:
    """Return a time, written as ISO text or as a number since 1970; None if it is none."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        if isinstance(value, int | float):
            seconds = value / 1_000 if abs(value) > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
        text = str(value).strip().replace(" ", "T", 1)
        return parse_moment(text, now=datetime.now(UTC), name="time")
    except (InvalidInputError, ValueError, OverflowError, OSError):
        return None


def first_time(record: Mapping[str, Any], *names: str) -> datetime | None:
    """Return the time in the first of these fields that is not empty."""
    return time_of(next(filter(None, map(record.get, names)), None))


def text_of(value: Any) -> str:
    """Return a text without outer blanks; empty if the value is none."""
    return value.strip() if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """Return the texts of a JSON list that are not blank."""
    return list(filter(None, map(text_of, list_of(value))))


def object_of(value: Any) -> Mapping[str, Any]:
    """Return a JSON object, also one that is stored as text; empty if it is none."""
    found = decoded_json(value)
    return found if isinstance(found, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a JSON list, also one that is stored as text; empty if it is none."""
    found = decoded_json(value)
    return found if isinstance(found, list) else []


def decoded_json(value: Any) -> Any:
    """Return the value of a JSON text, None if it is not JSON, and any other value as it is."""
    if not isinstance(value, str | bytes):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _unreadable(file: Path, error: OSError) -> NotFoundError:
    return NotFoundError(
        f"{file} cannot be read ({error.strerror})", remedy="check the path and its permissions"
    )
