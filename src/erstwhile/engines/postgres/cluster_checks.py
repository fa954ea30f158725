"""What must be true of a Citus cluster before tables are distributed over it.

Everything is checked before anything is changed, and all problems are told at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from psycopg import errors

from erstwhile.core.errors import InvalidInputError
from erstwhile.engines.postgres.connection import Connection

OLDEST_CITUS = 13
"""The oldest version that was tried."""
_LOCKS_PER_SHARD = 400
"""An estimate, with room: a lock for each table and index of one shard, some 260 in all."""
_NODES = """SELECT count(*) FILTER (WHERE shouldhaveshards), count(*) FILTER (WHERE groupid = 0),
  count(*) FILTER (WHERE NOT isactive OR NOT metadatasynced)
  FROM pg_dist_node WHERE noderole = 'primary'"""
_NOT_OURS = """SELECT count(*) FROM pg_class WHERE relnamespace = 'erstwhile'::regnamespace
  AND relkind = 'r' AND NOT pg_has_role(current_user, relowner, 'USAGE')"""
_CLIENTS = """SELECT count(*) FROM pg_stat_activity WHERE application_name = 'erstwhile'
  AND datname = current_database() AND pid <> pg_backend_pid()"""
_ON_ALL = """SELECT n.nodename || ':' || n.nodeport, r.success, r.result
  FROM run_command_on_all_nodes($1, give_warning_for_connection_errors => true) AS r
  JOIN pg_dist_node AS n ON n.nodeid = r.nodeid ORDER BY 1"""
_VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
_LOCKS = """SELECT current_setting('max_locks_per_transaction')::bigint
  * (current_setting('max_connections')::bigint
     + current_setting('max_prepared_transactions')::bigint)"""


def check_cluster(connection: Connection, *, fresh: bool) -> None:
    """Raise InvalidInputError with all problems. `fresh` if nothing is distributed yet."""
    found = [*_problems_of_this_server(connection)]
    if not found:
        found = [*_problems_of_all_servers(connection, fresh)]
    if found:
        raise InvalidInputError(
            "the database cannot be distributed: " + "; ".join(problem for problem, _ in found),
            remedy="; ".join(dict.fromkeys(remedy for _, remedy in found)),
        )


def _problems_of_this_server(connection: Connection) -> Iterator[tuple[str, str]]:
    version = str(_value(connection, "SELECT extversion FROM pg_extension WHERE extname = 'citus'"))
    if int(version.partition(".")[0]) < OLDEST_CITUS:
        yield f"this is Citus {version}", f"install Citus {OLDEST_CITUS} or later on every server"
        return
    [(holding, named, waiting)] = connection.execute(_NODES).fetchall()
    if not named:
        yield (
            "this server is not named as the coordinator",
            "run citus_set_coordinator_host(…) here",
        )
    if not holding:
        yield "no server is to hold shards", "run citus_add_node(…) here for each of them"
    if waiting:
        yield f"{waiting} servers are not active", "run citus_activate_node(…) for each of them"
    if _value(connection, _NOT_OURS):
        yield "the tables belong to another role", "run it as the owner of the tables"
    if running := _value(connection, _CLIENTS):
        yield f"{running} connections of Erstwhile are open", "close all programs that use it first"


def _problems_of_all_servers(connection: Connection, fresh: bool) -> Iterator[tuple[str, str]]:
    yield from _unreachable(connection, "none")
    if _value(connection, "SELECT to_regrole('erstwhile_app')"):
        yield from _unreachable(connection, "erstwhile_app")
    versions = {result for _, good, result in _on_all(connection, _VECTOR) if good}
    if len(versions) > 1:
        yield (
            f"the servers have different versions of pgvector ({', '.join(sorted(versions))})",
            "run CREATE EXTENSION vector with one version on every server",
        )
    for place, good, result in _on_all(connection, _LOCKS) if fresh else ():
        wanted = _shards_per_server(connection) * _LOCKS_PER_SHARD
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


def _shards_per_server(connection: Connection) -> int:
    shards = int(str(_value(connection, "SELECT current_setting('citus.shard_count')")))
    [(servers, *_)] = connection.execute(_NODES).fetchall()
    return -(-shards // int(str(servers)))


def _on_all(connection: Connection, question: str) -> list[tuple[str, bool, str]]:
    rows = connection.execute(_ON_ALL, [question]).fetchall()
    return [(str(place), bool(good), str(result)) for place, good, result in rows]


def _value(connection: Connection, question: str) -> object:
    [(value,)] = connection.execute(question).fetchall()
    return value
