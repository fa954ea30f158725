"""How a PostgreSQL connection is made: the address, the parameters, the schema, the errors.

The rules, each with its reason:
- Everything lies in the schema `erstwhile`, and each transaction says what it needs (space, path,
  role, time-outs) for itself alone: nothing is left on a connection, so poolers may share it.
- Parameters always have one type for one kind of value. Left alone, the driver types a number by
  its size, and each statement would be prepared several times.
- A peer that vanished is noticed after a minute, not after hours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

from erstwhile.core.errors import (
    BusyError,
    ConflictError,
    CorruptError,
    ErstwhileError,
    InvalidInputError,
    StorageError,
    UnavailableError,
)
from erstwhile.core.time import to_micros
from erstwhile.engines.migrations import Migration, pending

SCHEMA = "erstwhile"
OLDEST_SERVER = 150000
_PREPARED_STATEMENTS = 500
_KEPT_ALIVE: dict[str, int | str] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    "fallback_application_name": "erstwhile",
}
_RECORDS = """CREATE TABLE IF NOT EXISTS migrations (
  number BIGINT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at BIGINT NOT NULL)"""
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")

Connection = psycopg.Connection[tuple[object, ...]]


@cache
def numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """A statement with `$1` for the first `:name` in it and so on, and the names in this order."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(statement)))
    places = {name: f"${place}" for place, name in enumerate(names, 1)}
    return _PARAMETER.sub(lambda found: places[found[1]], statement), names


def address(url: str, patience: float) -> str:
    """The address as the driver takes it, with what the caller left open."""
    try:
        said = conninfo_to_dict(url)
    except psycopg.Error:
        raise InvalidInputError(
            "this is no address of a PostgreSQL database",
            remedy="write postgresql://user:password@host:5432/database",
        ) from None
    ours = {"connect_timeout": max(2, round(patience)), **_KEPT_ALIVE}
    return make_conninfo(url, **{name: ours[name] for name in ours.keys() - said.keys()})


def connect(place: str) -> Connection:
    connection = psycopg.connect(place, autocommit=True, cursor_factory=psycopg.RawCursor)
    connection.prepared_max = _PREPARED_STATEMENTS
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(str, StrDumper)
    return connection


def check_server(connection: Connection) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        raise StorageError(
            f"the server is PostgreSQL {connection.info.server_version // 10_000}",
            remedy=f"Erstwhile needs PostgreSQL {OLDEST_SERVER // 10_000} or later",
        )
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StorageError(
            "the database does not store text as UTF-8",
            remedy="make another with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        )


def migrate(connection: Connection, brought: Sequence[Migration]) -> None:
    """Bring the schema up to date, one transaction per step; several processes may try at once."""
    while pending(_applied(connection), brought):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('erstwhile', 0))")
            _migrate_one_step(connection, brought)


def lost(error: psycopg.Error) -> bool:
    """Whether the server or the way to it is gone; there may be another try on a new connection."""
    gone = ("57P01", "57P02", "57P03", "57P05", "25P03")
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state in gone or state.startswith("08")


def passing(error: psycopg.Error) -> bool:
    """Whether two transactions got in each other's way, and one of them may simply try again."""
    return error.sqlstate in ("40001", "40P01")


def translate(error: psycopg.Error) -> ErstwhileError:
    """A driver's error in our own words. The server's details may quote what is stored."""
    said, state = error.diag.message_primary or str(error).partition("\n")[0], error.sqlstate or ""
    if passing(error):
        return BusyError("other writers were always faster", remedy="try again")
    if lost(error) or state == "53300":
        return UnavailableError(f"the server cannot be reached ({said})", remedy="try again")
    if state in ("55P03", "57014"):
        return BusyError(f"it took too long ({said})", remedy="try again, or allow more time")
    if state.startswith("23"):
        return ConflictError(f"the change contradicts what is stored ({said})")
    if state in ("42501", "25006"):
        return StorageError(f"the server does not allow this ({said})", remedy=_REMEDY_FOR_RIGHTS)
    if state in ("53100", "53200"):
        return StorageError(f"the server has no room left ({said})", remedy="free some")
    if state in ("XX001", "XX002"):
        return CorruptError(f"the database is damaged ({said})", remedy="restore a copy")
    return StorageError(f"PostgreSQL: {said}")


_REMEDY_FOR_RIGHTS = (
    "open it once as the owner of the schema, and see docs/how-to/use-postgresql.md"
)


def _applied(connection: Connection) -> list[tuple[int, str, str]]:
    """What another process has just made is seen: catalogues are read, not the server's caches."""
    there = connection.execute(
        "SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'erstwhile' AND c.relname = 'migrations'"
    )
    if not there.fetchall():
        return []
    listed = connection.execute(
        "SELECT number, name, hash FROM erstwhile.migrations ORDER BY number"
    )
    return [(int(str(number)), str(name), str(digest)) for number, name, digest in listed]


def _migrate_one_step(connection: Connection, brought: Sequence[Migration]) -> None:
    """Another process may have been here first: what is pending is asked again under the lock."""
    for migration in pending(_applied(connection), brought)[:1]:
        there = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'erstwhile'")
        if not there.fetchall():  # if it was made for us, we may not have the right to make it
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
        connection.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        connection.execute(_RECORDS)
        connection.execute(migration.sql)
        connection.execute(
            "INSERT INTO migrations VALUES ($1, $2, $3, $4)",
            (*migration.record, to_micros(datetime.now(UTC))),
        )
