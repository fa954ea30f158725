"""Distribution of the tables over several servers with Citus, by space.

Every key begins with `space` and every statement names it, so each statement needs one server.
"""

from __future__ import annotations

import psycopg
from psycopg.rows import scalar_row

from erstwhile.core.errors import InvalidInputError
from erstwhile.engines.postgres.connection import SCHEMA, Connection, address, connect, translate

_EXTENSION = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
_WAITING = """SELECT c.oid::regclass::text FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'space'
  WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r'
    AND c.oid NOT IN (SELECT logicalrel FROM pg_dist_partition)
  ORDER BY c.oid"""
"""The tables in the order of creation: each table comes after the tables that it refers to."""
_FIRST = f"{SCHEMA}.scopes"


def distribute(url: str, *, busy_timeout: float) -> list[str]:
    """Distribute the tables by space. Return the tables that were not distributed before."""
    try:
        with connect(address(url, busy_timeout)) as connection:
            return _distributed(connection)
    except psycopg.Error as error:
        raise translate(error) from error


def has_citus(connection: Connection) -> bool:
    """Return whether the database has the extension Citus."""
    return bool(connection.execute(_EXTENSION).fetchall())


def _distributed(connection: Connection) -> list[str]:
    if not has_citus(connection):
        raise InvalidInputError(
            "this database has no Citus",
            remedy="run CREATE EXTENSION citus on every server, and name the servers to this one",
        )
    connection.execute(
        "SET citus.enable_unsafe_triggers = on"
    )  # the triggers of Erstwhile stay within a space
    cursor = connection.cursor(row_factory=scalar_row)
    tables = [str(table) for table in cursor.execute(_WAITING, [SCHEMA])]
    for table in tables:
        beside = "none" if table == _FIRST else _FIRST
        connection.execute(
            "SELECT create_distributed_table($1::regclass, 'space', colocate_with => $2)",
            [table, beside],
        )
    return tables
