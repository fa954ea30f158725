"""The schema: the tables and migrations of SQLite, ready to be distributed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import psycopg
import pytest

import erstwhile
from erstwhile.engines.migrations import Migration, available
from erstwhile.engines.postgres.connection import Connection, connect, migrate
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests.engines.postgres.conftest import Raw
from tests.engines.postgres.server import fresh_database

BROUGHT = available("postgres")
LATER = [
    Migration(len(BROUGHT) + 1, "moods", "CREATE TABLE moods (mood TEXT PRIMARY KEY)"),
    Migration(len(BROUGHT) + 2, "loud", "ALTER TABLE moods ADD COLUMN loud BIGINT; SELECT 1"),
]
"""Two more, so that these tests mean something however few there are."""
OURS_ALONE = {"passage_terms", "passage_terms_counts"}
"""SQLite's full-text index; PostgreSQL has tables of its own for searching."""
SEARCH_TABLES = {"passage_terms", "term_counts", "vector_index"}
CONNECTION_TABLES = {"commits", "wake_channels"}
"""A file has no connections that break."""


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    with fresh_database(postgres) as place:
        yield place


def test_both_engines_have_the_same_steps() -> None:
    """Numbers and names are equal; an unneeded step is an empty file with a comment."""
    assert [(each.number, each.name) for each in BROUGHT] == [
        (each.number, each.name) for each in available("sqlite")
    ]
    assert all(each.sql.strip() for each in BROUGHT)


def test_both_engines_have_the_same_tables_and_columns(raw: Raw, tmp_path: Path) -> None:
    """Only the tables for search and for broken connections differ."""
    SqliteEngine(tmp_path / "memory.db").close()
    file = apsw.Connection(str(tmp_path / "memory.db"))
    on_sqlite = {
        (str(table), str(column))
        for table, column in file.execute(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"
            " WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'"
        )
        if not str(table).startswith("passage_terms")
    }
    file.close()
    on_postgres = {
        (str(table), str(column))
        for table, column in raw.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'erstwhile'"
        )
        if table not in SEARCH_TABLES | CONNECTION_TABLES
    }
    assert on_postgres == on_sqlite


def test_every_key_and_every_index_begins_with_the_space(raw: Raw) -> None:
    """Each table can then be distributed by space, also those for search."""
    indexes = raw.execute(
        "SELECT i.indexrelid::regclass::text, a.amname, pg_get_indexdef(i.indexrelid, 1, true)"
        " FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
        " JOIN pg_am AS a ON a.oid = c.relam"
        " WHERE c.relnamespace = 'erstwhile'::regnamespace"
    ).fetchall()
    without = {name for name, method, first in indexes if method == "btree" and first != "space"}
    assert len(indexes) > 25
    assert without <= {"erstwhile.migrations_pkey", "migrations_pkey"}


def test_every_reference_stays_within_the_space(raw: Raw) -> None:
    keys = raw.execute(
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = 'erstwhile'::regnamespace"
    ).fetchall()
    assert len(keys) >= 12
    for table, definition in keys:
        assert str(definition).startswith("FOREIGN KEY (space, "), table
        assert "(space, " in str(definition).split("REFERENCES")[1], table


def described(place: str) -> list[tuple[object, ...]]:
    """Describe a schema for comparison."""
    with psycopg.connect(place) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default"
            " FROM information_schema.columns WHERE table_schema = 'erstwhile' ORDER BY 1, 2"
        ).fetchall()
        made = connection.execute(
            "SELECT indexname::text, indexdef FROM pg_indexes WHERE schemaname = 'erstwhile'"
            " UNION ALL SELECT p.proname, pg_get_functiondef(p.oid) FROM pg_proc AS p"
            " WHERE p.pronamespace = 'erstwhile'::regnamespace"
            " UNION ALL SELECT polrelid::regclass || ' ' || polname,"
            " pg_get_expr(polqual, polrelid) FROM pg_policy ORDER BY 1, 2"
        ).fetchall()
    return [*columns, *made]


def applied(connection: Connection) -> list[tuple[object, ...]]:
    listed = "SELECT number, name, hash FROM erstwhile.migrations ORDER BY number"
    return connection.execute(listed).fetchall()


def test_schema_by_migration_equals_schema_from_scratch(postgres: str) -> None:
    """One database goes through every version, the other begins with the last."""
    everything = [*BROUGHT, *LATER]
    with fresh_database(postgres) as grown, fresh_database(postgres) as made:
        with connect(grown) as connection:
            for version in range(len(everything)):
                migrate(connection, everything[: version + 1])
            assert applied(connection) == [each.record for each in everything]
        with connect(made) as connection:
            migrate(connection, everything)
        assert described(grown) == described(made)


def test_a_step_that_fails_leaves_nothing_of_itself_and_stays_pending(database: str) -> None:
    """Step and record commit together; earlier steps stay."""
    broken = Migration(LATER[1].number, LATER[1].name, "CREATE TABLE half (x INT); CREATE TABEL no")
    with connect(database) as connection:
        with pytest.raises(psycopg.errors.SyntaxError):
            migrate(connection, [*BROUGHT, LATER[0], broken])
        assert applied(connection) == [each.record for each in [*BROUGHT, LATER[0]]]
        assert connection.execute("SELECT to_regclass('erstwhile.half')").fetchall() == [(None,)]
        migrate(connection, [*BROUGHT, *LATER])


def test_opening_at_once_makes_the_schema_once(database: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        engines = list(pool.map(lambda n: PostgresEngine(database, space=f"s{n}"), range(6)))
    assert {engine.schema() for engine in engines} == {len(BROUGHT)}
    for engine in engines:
        engine.close()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("INSERT INTO migrations VALUES (99, 'later', 'x', 0)", erstwhile.NewerSchemaError),
        ("UPDATE migrations SET hash = 'x' WHERE number = 1", erstwhile.EditedHistoryError),
    ],
)
def test_a_history_that_is_not_ours_is_refused(
    database: str, change: str, error: type[erstwhile.ErstwhileError]
) -> None:
    PostgresEngine(database).close()
    with psycopg.connect(database) as connection:
        connection.execute("SET search_path = erstwhile")
        connection.execute(change)
    with pytest.raises(error):
        PostgresEngine(database)


def test_a_database_that_is_not_in_unicode_is_refused(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS not_unicode")
        server.execute(
            "CREATE DATABASE not_unicode TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'"
        )
        try:
            with pytest.raises(erstwhile.StorageError, match="UTF-8"):
                PostgresEngine(psycopg.conninfo.make_conninfo(postgres, dbname="not_unicode"))
        finally:
            server.execute("DROP DATABASE not_unicode WITH (FORCE)")
