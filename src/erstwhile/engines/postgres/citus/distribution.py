"""Distribution of the tables over several servers with Citus, by space.

Every key begins with `space` and every statement holds each table to it, so each statement needs
one server. All tables are distributed in one transaction, with their rows: all or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import errors

from erstwhile.core.errors import InvalidInputError, StorageError
from erstwhile.engines.postgres.connection import (
    SCHEMA,
    Connection,
    address,
    connect,
    has_citus,
    translate,
    values,
)
from erstwhile.storage.statements import load

_SQL = load("postgres", Path(__file__).parent / "sql")
_LOCK = "pg_advisory_xact_lock{}(hashtextextended('erstwhile', 0))"
_SCRIPT = Path(__file__).with_name("cluster.sql")
_BESIDE_THE_ROWS = (
    "match_terms(text, jsonb, bigint)",
    "read_here(text, bigint, text, text, text[])",
    "read_all_here(text, bigint, text[], text[], jsonb)",
    "change_here(text, bigint, text[], text[], jsonb)",
    "add_terms(text, bigint, text)",
)


def distribute(url: str, *, busy_timeout: float) -> list[str]:
    """Distribute the tables by space. Return the tables that were not distributed before."""
    try:
        with connect(address(url, busy_timeout)) as connection:
            connection.execute("SET client_min_messages = error")
            check_cluster(connection, fresh=not _is_there(connection))
            with connection.transaction():
                tables = _distributed(connection)
            _index_vectors(connection)
            return tables
    except psycopg.Error as error:
        raise translate(error) from error


def is_distributed(connection: Connection, patience: float) -> bool:
    """Return whether the tables are distributed. Wait while somebody is distributing them."""
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = {round(patience * 1000)}")
        connection.execute(f"SELECT {_LOCK.format('_shared')}")
        return _is_there(connection)


def check_counters(connection: Connection) -> None:
    """Set the counters after all numbers that were given out, if the server crashed since.

    A crash ends all connections, so it is enough that each new one does so. It also raises
    StorageError if a function of `cluster.sql` is missing.
    """
    needed = [f"{SCHEMA}.{function}" for function in _BESIDE_THE_ROWS]
    try:
        connection.execute(f"SELECT {SCHEMA}.count_on(), $1::text[]::regprocedure[]", [needed])
    except errors.UndefinedFunction as error:
        raise StorageError(
            "the database was distributed by an earlier version",
            remedy="stop all programs that use it, and run erstwhile distribute once more",
        ) from error


def _is_there(connection: Connection) -> bool:
    if not has_citus(connection):
        raise InvalidInputError(
            "this database has no Citus",
            remedy="run CREATE EXTENSION citus on every server, and name the servers to this one",
        )
    return bool(connection.execute(_SQL["is_distributed",]).fetchall())


def _distributed(connection: Connection) -> list[str]:
    connection.execute(f"SELECT {_LOCK.format('')}")
    connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    # The trigger of `vectors` writes into the same space as its row, so on the same server.
    connection.execute("SET LOCAL citus.enable_unsafe_triggers = on")
    for function in values(connection, _SQL["undistributed_functions",]):
        connection.execute("SELECT create_distributed_function($1::regprocedure)", [function])
    triggers = connection.execute(_SQL["triggers",]).fetchall()
    for drop, _ in triggers:  # rows that move are not new rows
        connection.execute(str(drop))
    tables = [str(table) for table in values(connection, _SQL["undistributed_tables",])]
    for table in tables:
        _distribute_table(connection, table)
    for left in values(connection, _SQL["left_behind",]):
        clear = "SELECT truncate_local_data_after_distributing_table($1::regclass)"
        connection.execute(clear, [left])
    for _, create in triggers:
        connection.execute(str(create))
    _run_beside_the_rows(connection)
    return tables


def _distribute_table(connection: Connection, table: str) -> None:
    """Move a table with its rows. Row-level security would hide them from the owner meanwhile."""
    connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    counted = f"SELECT count(*) FROM {table}"  # noqa: S608  # a name of our schema
    before = values(connection, counted)
    [beside, *_] = [*values(connection, _SQL["first_table",]), "none"]
    moved = "SELECT create_distributed_table($1::regclass, 'space', colocate_with => $2)"
    connection.execute(moved, [table, beside])
    after = values(connection, counted)
    if before != after:
        raise StorageError(
            f"of {before[0]} rows of {table}, {after[0]} arrived; nothing was changed"
        )
    connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def _run_beside_the_rows(connection: Connection) -> None:
    """Let functions run as a whole on the server that holds the space.

    The search for words has the rights of the owner there, so that it uses the index of terms. From
    the coordinator it would reach other servers as the owner, which Citus refuses after a change by
    another role.
    """
    connection.execute(f"SET LOCAL search_path = {SCHEMA}, pg_temp")
    connection.execute(_SCRIPT.read_text("utf-8"))
    for function in _BESIDE_THE_ROWS:
        connection.execute(
            "SELECT create_distributed_function($1::regprocedure, 'given_space',"
            " colocate_with => $2, force_delegation => true)",
            [f"{SCHEMA}.{function}", values(connection, _SQL["first_table",])[0]],
        )


def _index_vectors(connection: Connection) -> None:
    """Create the vector indexes that are missing, for the models of all spaces."""
    with connection.transaction():
        connection.execute(f"ALTER TABLE {SCHEMA}.embedders NO FORCE ROW LEVEL SECURITY")
        dimensions = values(connection, _SQL["dimensions",])
        connection.execute(f"ALTER TABLE {SCHEMA}.embedders FORCE ROW LEVEL SECURITY")
    for each in dimensions:
        connection.execute(f"SELECT {SCHEMA}.index_dimensions($1::bigint)", [each])


OLDEST_CITUS = 13
"""The oldest version that was tried."""
_LOCKS_PER_SHARD = 400
"""An estimate, with room: a lock for each table and index of one shard, some 260 in all."""
_VERSION = "SELECT extversion FROM pg_extension WHERE extname = '{}'"


def check_cluster(connection: Connection, *, fresh: bool) -> None:
    """Raise InvalidInputError with all problems. `fresh` if nothing is distributed yet."""
    found = [*_problems_of_this_server(connection)]
    found = found or [*_problems_of_all_servers(connection, fresh)]
    if found:
        raise InvalidInputError(
            "the database cannot be distributed: " + "; ".join(problem for problem, _ in found),
            remedy="; ".join(dict.fromkeys(remedy for _, remedy in found)),
        )


def _problems_of_this_server(connection: Connection) -> Iterator[tuple[str, str]]:
    version = str(values(connection, _VERSION.format("citus"))[0])
    if int(version.partition(".")[0]) < OLDEST_CITUS:
        yield f"this is Citus {version}", f"install Citus {OLDEST_CITUS} or later on every server"
        return
    [(holding, named, waiting)] = connection.execute(_SQL["nodes",]).fetchall()
    if not named:
        yield (
            "this server is not named as the coordinator",
            "run citus_set_coordinator_host(…) here",
        )
    if not holding:
        yield "no server is to hold shards", "run citus_add_node(…) here for each of them"
    if waiting:
        yield f"{waiting} servers are not active", "run citus_activate_node(…) for each of them"
    if values(connection, _SQL["tables_of_others",])[0]:
        yield "the tables belong to another role", "run it as the owner of the tables"
    if running := values(connection, _SQL["clients",])[0]:
        yield f"{running} connections of Erstwhile are open", "close all programs that use it first"


def _problems_of_all_servers(connection: Connection, fresh: bool) -> Iterator[tuple[str, str]]:
    yield from _unreachable(connection, "none")
    if values(connection, "SELECT to_regrole('erstwhile_app')") != [None]:
        yield from _unreachable(connection, "erstwhile_app")
    versions = {
        result for _, good, result in _on_all(connection, _VERSION.format("vector")) if good
    }
    if len(versions) > 1:
        yield (
            f"the servers have different versions of pgvector ({', '.join(sorted(versions))})",
            "run CREATE EXTENSION vector with one version on every server",
        )
    shards = int(str(values(connection, "SELECT current_setting('citus.shard_count')")[0]))
    servers = int(str(values(connection, _SQL["nodes",])[0]))
    for place, good, result in _on_all(connection, _SQL["room_for_locks",]) if fresh else ():
        wanted = -(-shards // servers) * _LOCKS_PER_SHARD
        if good and int(result) < wanted:
            yield (
                f"{place} has room for {result} locks, and needs {wanted}",
                "raise max_locks_per_transaction there, or lower citus.shard_count here",
            )


def _unreachable(connection: Connection, role: str) -> Iterator[tuple[str, str]]:
    """Yield the servers that this one cannot reach as a role."""
    name = "the owner" if role == "none" else role
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL ROLE {role}")
            answers = _on_all(connection, "SELECT 1")
    except errors.InsufficientPrivilege:
        return  # transactions do not use the role either
    for place, good, result in answers:
        if not good:
            yield (
                f"{place} does not admit {name} ({result})",
                f"create the role there, ALTER ROLE … LOGIN, and let pg_hba.conf admit {name}",
            )


def _on_all(connection: Connection, question: str) -> list[tuple[str, bool, str]]:
    rows = connection.execute(_SQL["on_all_servers",], [question]).fetchall()
    return [(str(place), bool(good), str(result)) for place, good, result in rows]
