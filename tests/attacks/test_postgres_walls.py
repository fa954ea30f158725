"""A tenant with a login of its own and any SQL it likes: it stays within its space.

`erstwhile_app` may enter every space that it names. A login that is bound to a space may not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

import erstwhile
from erstwhile import Memory
from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.postgres.session import PostgresSession
from erstwhile.storage.passages import indexed
from tests.engines.postgres.conftest import Raw

RELATIONS = """SELECT c.oid::regclass::text FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'space'
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind IN ('r', 'v') ORDER BY 1"""
CATALOGUE = """SELECT c.oid::regclass::text FROM pg_class AS c
  WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    AND c.relkind IN ('r', 'v') ORDER BY 1"""
HIDDEN = "marmalade in Zanzibar"


@dataclass(frozen=True)
class House:
    """Two spaces of one database, and the login that is bound to the first."""

    url: str
    own: str
    other: str
    login: str

    @property
    def tenant(self) -> str:
        return psycopg.conninfo.make_conninfo(self.url, user=self.login)

    @contextmanager
    def attacker(self) -> Iterator[Raw]:
        """Connect as the tenant, without any code of ours."""
        with psycopg.connect(self.tenant, autocommit=True) as connection:
            connection.execute("SELECT set_config('erstwhile.space', %s, false)", [self.own])
            yield connection


@pytest.fixture(scope="module")
def house(postgres: str) -> Iterator[House]:
    house = House(postgres, uuid4().hex, uuid4().hex, f"tenant_{uuid4().hex}")
    with (
        opened(postgres, house.own) as own,
        opened(postgres, house.other) as other,
        psycopg.connect(postgres, autocommit=True) as server,
    ):
        for memory, text in ((own, "ours"), (other, HIDDEN)):
            user = memory.scoped(user="ana")
            user.remember(text, tags=["t"], entities=["Ana"], key="k")
            user.observe_turn(f"{text}?", text)
            user.blocks.add("b", content=text)
        server.execute(f"CREATE ROLE {house.login} LOGIN")
        server.execute(f"CREATE SCHEMA {house.login} AUTHORIZATION {house.login}")
        server.execute("SELECT erstwhile.bind(%s, %s)", [house.login, house.own])
        server.execute("ANALYZE")
        try:
            yield house
        finally:
            [(bound,)] = server.execute("SELECT erstwhile.tenant_role(%s)", [house.own])
            server.execute(f"DROP OWNED BY {house.login} CASCADE")
            server.execute(f"DROP ROLE {house.login}, {bound}")


def opened(place: str, space: str) -> Memory:
    return assemble(PostgresEngine(place, space=space), SystemClock(), Viewer())


def spaces_seen(connection: Raw) -> set[str]:
    """Return the spaces of all rows of all tables and views that a connection sees."""
    relations = [str(name) for (name,) in connection.execute(RELATIONS)]
    assert len(relations) > 30
    each = [f"SELECT DISTINCT CAST(space AS text) FROM {name}" for name in relations]  # noqa: S608
    return {str(space) for (space,) in connection.execute(" UNION ".join(each))}


def test_without_a_binding_the_application_enters_the_space_that_it_names(house: House) -> None:
    """What the attacks below look for can be seen."""
    with psycopg.connect(house.url, autocommit=True) as server:
        server.execute("SET ROLE erstwhile_app")
        for space in (house.own, house.other):
            server.execute("SELECT set_config('erstwhile.space', %s, false)", [space])
            assert spaces_seen(server) == {space}


ENTER = "SET erstwhile.space = '{other}'"
STATEMENTS = json.loads(Path(__file__).with_name("postgres_walls.json").read_text("utf-8"))
WIDENING, READING = STATEMENTS["widening"], STATEMENTS["reading"]


@pytest.mark.parametrize("attack", WIDENING.values(), ids=WIDENING)
def test_a_tenant_sees_no_other_space(house: House, attack: str) -> None:
    names = {"other": house.other, "login": house.login, "own": house.own}
    with house.attacker() as attacker:
        for statement in (ENTER, *attack.split(";\n")):
            with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException):
                attacker.execute(statement.format(**names).encode())
        with suppress(psycopg.errors.InsufficientPrivilege):  # row_security = off is refused later
            assert not spaces_seen(attacker)
    with house.attacker() as attacker:
        assert spaces_seen(attacker) == {house.own}


@pytest.mark.parametrize("attack", READING.values(), ids=READING)
def test_a_tenant_reads_nothing_of_another_space(house: House, attack: str) -> None:
    told: list[str] = []
    with house.attacker() as attacker:
        attacker.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
        attacker.execute(sql.SQL("SET erstwhile.space = {}").format(house.other))
        for statement in attack.format(other=house.other).split(";\n"):
            try:
                answer = attacker.execute(statement.encode())
            except psycopg.errors.InsufficientPrivilege as error:
                told.append(str(error))
                continue
            if answer.description:
                told += [str(row) for row in answer]
    assert not [each for each in told if HIDDEN in each]
    if "EXPLAIN" not in attack and "read_file" not in attack and "continue" not in attack:
        assert not [each for each in told if "permission denied" not in each]


def test_words_are_found_in_the_own_space_alone(house: House) -> None:
    """Also by the function that has the rights of the owner."""
    asked = "SELECT count(*) FROM erstwhile.match_terms(%s, %s, 9)"
    stored = "SELECT terms, partition, open FROM passages LIMIT 1"
    with opened(house.url, house.other) as other:
        [row] = other._access.engine.read(lambda session: session.rows(stored, {}))
    words = json.dumps(dict.fromkeys(indexed(*row).split(), 1))
    with psycopg.connect(house.url, autocommit=True) as server:
        server.execute("SET ROLE erstwhile_app")
        server.execute(sql.SQL("SET erstwhile.space = {}").format(house.other))
        [(found,)] = server.execute(asked, [house.other, words])
        assert int(str(found)) > 0
    with house.attacker() as attacker:
        for space in (house.own, house.other):
            attacker.execute(sql.SQL("SET erstwhile.space = {}").format(space))
            for named in (house.own, house.other):
                assert attacker.execute(asked, [named, words]).fetchall() == [(0,)]


def test_a_statement_that_was_prepared_before_does_not_widen(house: House) -> None:
    with house.attacker() as attacker:
        for space, seen in ((house.own, True), (house.other, False)) * 8:
            attacker.execute(sql.SQL("SET erstwhile.space = {}").format(space))
            rows = attacker.execute("SELECT text FROM erstwhile.facts", prepare=True).fetchall()
            assert bool(rows) == seen


def test_a_tenant_changes_nothing_in_another_space(house: House) -> None:
    with opened(house.url, house.other) as other:
        everything = other.everything()
        before = everything.facts.list(limit=100), everything.audit.list(limit=100)
        with house.attacker() as attacker:
            attacker.execute(sql.SQL("SET erstwhile.space = {}").format(house.other))
            assert attacker.execute("UPDATE erstwhile.facts SET text = 'x'").rowcount == 0
            assert attacker.execute("DELETE FROM erstwhile.fact_tags").rowcount == 0
            for space in (house.own, house.other):
                attacker.execute(sql.SQL("SET erstwhile.space = {}").format(space))
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    attacker.execute(
                        "INSERT INTO erstwhile.wake_channels VALUES (%s, 'x')", [house.other]
                    )
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    attacker.execute("TRUNCATE erstwhile.facts CASCADE")
        assert (everything.facts.list(limit=100), everything.audit.list(limit=100)) == before
        assert everything.audit.verify().ok


def test_notifications_tell_nothing(house: House, postgres: str) -> None:
    """Neither the name of the space nor to others that something changed."""
    with opened(house.url, house.other) as other, house.attacker() as attacker:
        for channel in ("erstwhile", house.other, *_own_channels(attacker)):
            attacker.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        engine = other._access.engine
        assert isinstance(engine, PostgresEngine)
        with psycopg.connect(postgres, autocommit=True) as listening:
            with engine._pool.session() as session:
                listening.execute(f"LISTEN {_channel(session)}")
            other.remember("something changed")
            [heard] = listening.notifies(timeout=60, stop_after=1)
        assert (heard.payload, house.other in heard.channel) == ("", False)
        assert not list(attacker.notifies(timeout=0.2))


def _channel(session: PostgresSession) -> str:
    return session.channel()


def _own_channels(connection: Raw) -> list[str]:
    return [str(name) for (name,) in connection.execute("SELECT name FROM erstwhile.wake_channels")]


def test_no_catalogue_tells_the_name_of_another_space(house: House) -> None:
    """While the other space is in use: no view of sessions, locks, statistics or settings."""
    with opened(house.url, house.other) as other, house.attacker() as attacker:
        relations = [str(name) for (name,) in attacker.execute(CATALOGUE)]
        readable = 0

        def look() -> None:
            nonlocal readable
            for name in relations:
                with suppress(psycopg.errors.InsufficientPrivilege):
                    asked = f"SELECT 1 FROM {name} AS r WHERE CAST(r AS text) LIKE %s LIMIT 1"  # noqa: S608
                    found = attacker.execute(asked, [f"%{house.other}%"]).fetchall()
                    assert not found, name
                    readable += 1

        other._access.engine.write(lambda _session: look())
        assert readable > 150


def test_the_library_works_for_a_tenant_and_refuses_another_space(house: House) -> None:
    with opened(house.tenant, house.own) as memory:
        user = memory.scoped(user="bob")
        fact = user.remember("Bob drinks tea", tags=["t"], entities=["Bob"])
        assert [hit.fact.id for hit in user.recall("tea")] == [fact.id]
        user.observe_turn("I like coffee.", "Noted.")
        user.facts.erase(fact.id)
        assert user.audit.verify().ok
    with opened(house.tenant, house.other) as memory:
        assert memory.everything().facts.count() == 0
        with pytest.raises(erstwhile.StorageError, match="does not allow"):
            memory.remember("mine")


@pytest.mark.parametrize(
    "rights", ["SUPERUSER", "BYPASSRLS", "CREATEROLE", "IN ROLE erstwhile_app"]
)
def test_a_login_with_more_rights_cannot_be_bound(house: House, rights: str) -> None:
    with psycopg.connect(house.url) as server:
        server.execute(f"CREATE ROLE mighty LOGIN {rights}".encode())
        with pytest.raises(psycopg.errors.RaiseException, match="more rights") as raised:
            server.execute("SELECT erstwhile.bind('mighty', %s)", [house.own])
        assert "create another" in str(raised.value.diag.message_hint)
        server.rollback()


def test_a_binding_can_be_ended(house: House) -> None:
    with psycopg.connect(house.url) as server:
        server.execute("CREATE ROLE guest LOGIN")
        server.execute("SELECT erstwhile.bind('guest', %s)", [house.own])
        server.execute(sql.SQL("SET LOCAL erstwhile.space = {}").format(house.own))
        server.execute("SET LOCAL ROLE guest")
        assert spaces_seen(server) == {house.own}
        server.execute("RESET ROLE")
        server.execute("SELECT erstwhile.unbind('guest', %s)", [house.own])
        server.execute("SET LOCAL ROLE guest")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            spaces_seen(server)
        server.rollback()
