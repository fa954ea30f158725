"""Tend a SQLite file: planner statistics, free pages, the log. Each step holds the lock briefly."""

from __future__ import annotations

import time
from collections.abc import Iterator

import apsw

_PAGES = 256
"""The number of free pages that one step gives back."""
_SAMPLE = 1_000
"""The number of rows of an index that are looked at."""
_OUTGROWN = """SELECT tbl, MAX(CAST(substr(stat, 1, instr(stat || ' ', ' ') - 1) AS INTEGER))
FROM sqlite_stat1 WHERE tbl IN (SELECT name FROM sqlite_schema WHERE type = 'table')
GROUP BY tbl"""


def analysed(connection: apsw.Connection) -> Iterator[str]:
    """Measure the tables that have outgrown their statistics, and yield their names.

    The statistics of the schema fit every smaller table. Those of an empty table would mislead.
    """
    connection.execute(f"PRAGMA analysis_limit={_SAMPLE}")
    for table, rows in connection.execute(_OUTGROWN).fetchall():
        beyond = f'SELECT 1 FROM "{table}" LIMIT 1 OFFSET ?'  # noqa: S608  # a name of our schema
        if connection.execute(beyond, (2 * int(str(rows)),)).fetchall():
            connection.execute(f'ANALYZE "{table}"')
            yield str(table)


def give_back(connection: apsw.Connection) -> int:
    """Give some free pages back to the disk; return their number, 0 if there are none."""
    before = _free(connection)
    connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
    return before - _free(connection)


def shorten_log(connection: apsw.Connection, patience: float) -> int:
    """Move the log into the file; return the pages that are left because somebody reads them."""
    deadline = time.monotonic() + patience
    while True:
        [(busy, left, moved)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if not busy or time.monotonic() > deadline:
            return max(0, int(str(left)) - int(str(moved)))
        time.sleep(0.01)


def _free(connection: apsw.Connection) -> int:
    return int(str(connection.execute("PRAGMA freelist_count").fetchall()[0][0]))
