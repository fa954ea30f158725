"""Vector search in PostgreSQL, enabled as soon as the extension is installed.

Without it everything else works, and recall says that it searched by words alone.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from psycopg import errors

from erstwhile.engines.postgres.connection import SCHEMA, Connection

_SCRIPT = Path(__file__).with_name("vectors.sql")
_THERE = "SELECT to_regclass('erstwhile.vector_index') IS NOT NULL"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('erstwhile', 0))"
_HOME = """SELECT quote_ident(n.nspname) FROM pg_extension AS e
  JOIN pg_namespace AS n ON n.oid = e.extnamespace
  WHERE e.extname = 'vector' AND string_to_array(e.extversion, '.')::int[] >= ARRAY[0, 8]
    AND NOT EXISTS (
      SELECT 1 FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
      WHERE s.nspname = 'erstwhile' AND c.relname = 'vector_index')"""
_NOT_FOR_US = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)
_NOT_THERE = (errors.UndefinedFile, errors.FeatureNotSupported)


def enable_vectors(connection: Connection) -> None:
    """Create the vector index if the extension is there. Only the owner of the schema can."""
    if _values(connection, _THERE) == [True]:
        return
    with suppress(*_NOT_FOR_US), connection.transaction():
        connection.execute(_LOCK)
        with suppress(*_NOT_FOR_US, *_NOT_THERE), connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        for home in _values(connection, _HOME):
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, {home}")
            connection.execute(_SCRIPT.read_text("utf-8"))


def _values(connection: Connection, question: str) -> list[object]:
    return [answer for (answer,) in connection.execute(question)]
