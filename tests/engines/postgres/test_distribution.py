"""`erstwhile distribute`, with a stand-in for Citus that records its calls."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest

import erstwhile
from erstwhile import keeping
from tests.engines.postgres.server import fresh_database

STAND_IN = """
CREATE TABLE pg_dist_partition (logicalrel regclass, distributed_by text, colocated_with text);
CREATE FUNCTION create_distributed_table(asked regclass, by text, colocate_with text)
RETURNS void LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (asked, by, colocate_with)';
"""
REFERENCES = """SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
  WHERE contype = 'f' AND connamespace = 'erstwhile'::regnamespace"""


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    with fresh_database(postgres) as place:
        name = psycopg.conninfo.conninfo_to_dict(place)["dbname"]
        url = urlsplit(postgres)._replace(path=f"/{name}").geturl()
        erstwhile.open(url).close()
        yield url


@pytest.fixture
def with_stand_in(database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("erstwhile.engines.postgres.distribution._EXTENSION", "SELECT 1")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(STAND_IN)
    return database


def test_without_citus_it_says_what_is_missing(database: str) -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="no Citus"):
        keeping.distribute(database)


def test_only_a_postgresql_database_can_be_distributed() -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="PostgreSQL"):
        keeping.distribute("agent.db")


def test_every_table_is_distributed_by_its_space_beside_the_others(with_stand_in: str) -> None:
    """Each comes after those that it refers to; a second call does nothing."""
    tables = keeping.distribute(with_stand_in)
    with psycopg.connect(with_stand_in, autocommit=True) as connection:
        asked = connection.execute("SELECT logicalrel::text, distributed_by FROM pg_dist_partition")
        assert asked.fetchall() == [(table, "space") for table in tables]
        spaced = connection.execute(
            "SELECT count(*) FROM information_schema.columns"
            " WHERE table_schema = 'erstwhile' AND column_name = 'space'"
            " AND table_name NOT IN (SELECT viewname FROM pg_views WHERE schemaname = 'erstwhile')"
        )
        assert spaced.fetchall() == [(len(tables),)]
        for referring, referred in connection.execute(REFERENCES):
            assert tables.index(referred) < tables.index(referring)
    assert keeping.distribute(with_stand_in) == []


def test_other_servers_are_told_the_space(with_stand_in: str) -> None:
    """Citus forwards statements; the space is quoted."""
    settings = erstwhile.Settings(space="it's", embedder="none")
    asked = (
        "SELECT current_setting('citus.propagate_set_commands'), current_setting('erstwhile.space')"
    )
    with erstwhile.open(with_stand_in, settings=settings) as memory:
        fact = memory.remember("tea")
        assert memory.facts.list(known_at="now").items == (fact,)
        rows = memory._access.engine.read(lambda session: session.rows(asked, {}))
        assert rows == [("local", "it's")]
