"""`erstwhile distribute` where there is no Citus, and what it needs of the schema."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest

import erstwhile
from erstwhile.engines.postgres.citus import pipeline as deferred
from erstwhile.operations import store
from tests.engines.postgres.server import fresh_database

TABLES = """SELECT c.oid::regclass::text FROM pg_class AS c
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r' ORDER BY c.oid"""
REFERENCES = """SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
  WHERE contype = 'f' AND connamespace = 'erstwhile'::regnamespace"""
COUNTED = """SELECT c.relname, a.attname
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  WHERE a.attidentity <> '' AND c.relnamespace = 'erstwhile'::regnamespace"""


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    with fresh_database(postgres) as place:
        name = psycopg.conninfo.conninfo_to_dict(place)["dbname"]
        url = urlsplit(postgres)._replace(path=f"/{name}").geturl()
        erstwhile.open(url).close()
        yield url


def test_without_citus_it_says_what_is_missing(database: str) -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="no Citus") as refused:
        store.distribute(database)
    assert "CREATE EXTENSION citus" in refused.value.remedy


def test_only_a_postgresql_database_can_be_distributed() -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="PostgreSQL"):
        store.distribute("agent.db")


def test_each_table_is_made_after_those_that_it_refers_to(database: str) -> None:
    """Tables are distributed in the order in which they were made."""
    with psycopg.connect(database) as connection:
        tables = [table for (table,) in connection.execute(TABLES)]
        for referring, referred in connection.execute(REFERENCES):
            assert tables.index(referred) < tables.index(referring)


def test_it_is_known_of_every_table_that_counts_itself_who_counts(database: str) -> None:
    """A shard has no counter. So a row that is written into it needs its number."""
    with psycopg.connect(database) as connection:
        for table, column in connection.execute(COUNTED).fetchall():
            by_citus = deferred._COUNTED_BY_CITUS.match(f"INSERT INTO {table} (space)")
            assert by_citus or deferred._COUNTED[table] == column
