"""PostgreSQL connections: the address, the parameters, the schema, the errors.

The rules, each with its reason:
- Everything is in the schema `erstwhile`. Each transaction sets its own space, path, role and
  timeouts, and leaves nothing on the connection, so poolers may share it.
- Each kind of value has one parameter type. The driver's default types a number by its size, so
  each statement would be prepared several times.
- A lost server is noticed after a minute, not after hours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import psycopg
from psycopg import errors
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
from erstwhile.storage.statements import load

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
_READ_ONLY = "25006"
"""The state of an error of a standby. Another server of the address may be the primary."""
_UNANSWERED_BY_A_WORKER = "could not commit transaction for shard"
"""How Citus says that a worker did not answer a commit, which may have happened or not."""
_OUTDATED = ("ER001", "ER002")
"""The states of errors of `cluster.sql`, which a new connection does not meet."""
_SQL = load("postgres", Path(__file__).parent / "sql")
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('erstwhile', 0))"
_CITUS = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")

Connection = psycopg.Connection[tuple[object, ...]]


@cache
def numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """Replace `:name` by `$1` and so on. Return the statement and the names in this order."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(statement)))
    places = {name: f"${place}" for place, name in enumerate(names, 1)}
    return _PARAMETER.sub(lambda found: places[found[1]], statement), names


def address(url: str, patience: float) -> str:
    """Return the address for the driver, with our defaults for missing parameters."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        raise InvalidInputError(
            "this is not an address of a PostgreSQL database",
            remedy="write postgresql://user:password@host:5432/database",
        ) from None
    ours = {"connect_timeout": max(2, round(patience)), **_KEPT_ALIVE}
    if "," in f"{given.get('host') or ''}{given.get('hostaddr') or ''}":
        ours["target_session_attrs"] = "read-write"  # of several servers, the primary
    return make_conninfo(url, **{name: ours[name] for name in ours.keys() - given.keys()})


def connect(place: str, *, prepare: bool = True) -> Connection:
    """Open a connection. Without `prepare`, it prepares no statements on the server."""
    connection = psycopg.connect(place, autocommit=True, cursor_factory=psycopg.RawCursor)
    connection.prepared_max = _PREPARED_STATEMENTS
    if not prepare:
        connection.prepare_threshold = None
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(str, StrDumper)
    return connection


def check_server(connection: Connection) -> None:
    """Raise StorageError if the server is too old or does not store UTF-8."""
    if connection.info.server_version < OLDEST_SERVER:
        raise StorageError(
            f"the server is PostgreSQL {connection.info.server_version // 10_000}",
            remedy=f"Erstwhile needs PostgreSQL {OLDEST_SERVER // 10_000} or later",
        )
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StorageError(
            "the database does not store text as UTF-8",
            remedy="create another: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        )


def is_pooled(connection: Connection) -> bool:
    """Return whether the server is behind a pooler, which has process numbers of its own.

    A pooler may run each transaction on another connection of the server. Statements that other
    clients prepared there have the same names as ours.
    """
    [(process,)] = connection.execute("SELECT pg_backend_pid()").fetchall()
    return process != connection.info.backend_pid


def has_citus(connection: Connection) -> bool:
    """Return whether the database has the extension Citus."""
    return bool(values(connection, _CITUS))


def migrate(connection: Connection, brought: Sequence[Migration]) -> None:
    """Apply pending migrations, one transaction each. Several processes may do it at once."""
    while pending(_applied(connection), brought):
        with connection.transaction():
            connection.execute(_LOCK)
            # Another process may have applied it before this one got the lock.
            for migration in pending(_applied(connection), brought)[:1]:
                _apply(connection, migration)


def lost(error: psycopg.Error) -> bool:
    """Return whether the connection was lost, so that a new one may succeed."""
    gone = ("57P01", "57P02", "57P03", "57P05", "25P03", _READ_ONLY)
    state = error.sqlstate
    if state == "XX000":
        return (error.diag.message_primary or "").startswith(_UNANSWERED_BY_A_WORKER)
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state in gone or state in _OUTDATED or state.startswith("08")


def passing(error: psycopg.Error) -> bool:
    """Return whether the transaction lost against another one and can be retried."""
    return error.sqlstate in ("40001", "40P01")


def translate(error: psycopg.Error) -> ErstwhileError:
    """Return a driver error as an ErstwhileError, without details, which may quote stored data."""
    reason = error.diag.message_primary or str(error).partition("\n")[0]
    state = error.sqlstate or ""
    if passing(error):
        return BusyError("other writers blocked the change for too long", remedy="try again")
    if state == _READ_ONLY:
        return UnavailableError(f"the server is read-only ({reason})", remedy=_REMEDY_FOR_STANDBY)
    if lost(error) or state == "53300":
        return UnavailableError(f"the server cannot be reached ({reason})", remedy="try again")
    if state in ("55P03", "57014"):
        return BusyError(f"it took too long ({reason})", remedy="try again, or allow more time")
    if state.startswith("23"):
        return ConflictError(f"the change contradicts what is stored ({reason})")
    if state == "42501":
        return StorageError(f"the server does not allow this ({reason})", remedy=_REMEDY_FOR_RIGHTS)
    if state in ("53100", "53200"):
        return StorageError(f"the server has no room left ({reason})", remedy="free some")
    if state in ("XX001", "XX002"):
        return CorruptError(f"the database is damaged ({reason})", remedy="restore a copy")
    return StorageError(f"PostgreSQL: {reason}")


_REMEDY_FOR_STANDBY = "name the primary, or all servers: postgresql://one,two/database?target_session_attrs=read-write"
_REMEDY_FOR_RIGHTS = (
    "open it once as the owner of the schema, and see docs/how-to/use-postgresql.md"
)


def _applied(connection: Connection) -> list[tuple[int, str, str]]:
    """Return the applied migrations. The catalogue also lists tables that were just created."""
    if not values(connection, _SQL["has_migrations",]):
        return []
    listed = connection.execute(
        "SELECT number, name, hash FROM erstwhile.migrations ORDER BY number"
    )
    return [(int(str(number)), str(name), str(digest)) for number, name, digest in listed]


def _apply(connection: Connection, migration: Migration) -> None:
    # The login may have no right to create an existing schema.
    if not values(connection, "SELECT 1 FROM pg_namespace WHERE nspname = 'erstwhile'"):
        connection.execute(f"CREATE SCHEMA {SCHEMA}")
    connection.execute(f"SET LOCAL search_path = {SCHEMA}, pg_temp")
    connection.execute(_SQL["make_migrations",])
    connection.execute(migration.sql)
    record = (*migration.record, to_micros(datetime.now(UTC)))
    connection.execute("INSERT INTO migrations VALUES ($1, $2, $3, $4)", record)


_SCRIPT = Path(__file__).with_name("vectors.sql")
_THERE = "SELECT to_regclass('erstwhile.vector_index') IS NOT NULL"
_NOT_FOR_US = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)
_NOT_THERE = (errors.UndefinedFile, errors.FeatureNotSupported)


def enable_vectors(connection: Connection) -> None:
    """Create the vector index if the extension is there. Only the owner of the schema can."""
    if values(connection, _THERE) == [True]:
        return
    with suppress(*_NOT_FOR_US), connection.transaction():
        connection.execute(_LOCK)
        with suppress(*_NOT_FOR_US, *_NOT_THERE), connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        for home in values(connection, _SQL["home_of_vectors",]):
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, {home}")
            connection.execute(_SCRIPT.read_text("utf-8"))


def values(connection: Connection, question: str) -> list[object]:
    """Return the first column of the rows of a query."""
    return [row[0] for row in connection.execute(question)]
