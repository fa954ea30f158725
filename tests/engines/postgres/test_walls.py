"""Row-level security separates spaces in the database itself: these connections skip our code."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

import erstwhile
from erstwhile.engines.postgres.engine import ROLE, PostgresEngine
from erstwhile.memory import Memory
from tests.engines.postgres.conftest import Raw, enter
from tests.engines.postgres.server import fresh_database

WITH_SPACE = """SELECT c.oid::regclass::text FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'space'
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r' ORDER BY 1"""


@pytest.fixture
def app(postgres: str, engine: PostgresEngine) -> Iterator[Raw]:  # noqa: ARG001  the schema is there
    """Open a session with the role of the application."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"SET ROLE {ROLE}")
        connection.execute("SET search_path = erstwhile")
        yield connection


def tables(connection: Raw) -> list[str]:
    return [str(name) for (name,) in connection.execute(WITH_SPACE)]


def count(connection: Raw, table: str = "facts") -> int:
    asked = f"SELECT COUNT(*) FROM {table}"  # noqa: S608
    return int(str(connection.execute(asked).fetchall()[0][0]))


def test_every_table_is_guarded(raw: Raw) -> None:
    """For the owner and the application by its name, for tenants by their binding."""
    assert len(tables(raw)) >= 14
    for table in tables(raw):
        [guarded] = raw.execute(
            "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass",
            [table],
        )
        policies = raw.execute(
            "SELECT policyname, permissive, cmd, qual, with_check, roles::text[] FROM pg_policies"
            " WHERE schemaname || '.' || tablename = %s AND policyname <> 'matching'"
            " ORDER BY policyname",
            [table],
        ).fetchall()
        named = "(space = current_setting('erstwhile.space'::text, true))"
        assert guarded == (True, True), table
        assert [policy[:3] for policy in policies] == [
            ("bound_space", "PERMISSIVE", "ALL"),
            ("own_space", "PERMISSIVE", "ALL"),
        ]
        bound, own = [policy[3:] for policy in policies]
        assert own == (named, None, ["erstwhile_app", "postgres"]), table
        assert bound[1:] == (None, ["erstwhile_tenant"]), table
        assert str(bound[0]).startswith(f"({named} AND pg_has_role(CURRENT_USER, ")


def test_nothing_else_holds_what_is_said(raw: Raw) -> None:
    """Every table has a space; a view runs with the rights of its user."""
    others = raw.execute(
        "SELECT c.relname, c.relkind, c.reloptions FROM pg_class AS c"
        " WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')"
        " AND NOT EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid)"
    ).fetchall()
    assert sorted((_text(name), _text(kind), options) for name, kind, options in others) == [
        ("block_states", "v", ["security_invoker=true"]),
        ("fact_states", "v", ["security_invoker=true"]),
        ("migrations", "r", None),
    ]


def test_a_session_without_a_space_sees_nothing(memory: Memory, app: Raw) -> None:
    memory.remember("secret", tags=["t"], entities=["Ana"], key="k")
    for table in [*tables(app), "fact_states"]:
        assert count(app, table) == 0, table


def test_a_session_sees_its_own_space_and_no_other(
    memory: Memory, app: Raw, space: str, postgres: str
) -> None:
    memory.remember("mine")
    with erstwhile.open(postgres, settings=erstwhile.Settings(space=f"{space} 2")) as other:
        other.remember("theirs")
        other.remember("theirs, too")
        enter(app, space)
        assert count(app) == count(app, "fact_states") == 1
        enter(app, f"{space} 2")
        assert count(app) == 2
        assert app.execute("UPDATE facts SET pinned = 1").rowcount == 2
        enter(app, f"{space} 3")
        assert app.execute("UPDATE facts SET pinned = 1").rowcount == 0
        assert app.execute("DELETE FROM outbox").rowcount == 0
    assert not memory.facts.list()[0].pinned


def test_nothing_can_be_put_into_another_space(memory: Memory, app: Raw, space: str) -> None:
    memory.remember("mine")
    enter(app, space)
    add = (
        "INSERT INTO embedders (space, model, dimensions, serving, usual, spread)"
        " VALUES (%s, 'm', 1, 0, 0, 1)"
    )
    for statement, params in (
        (add, [f"{space} 2"]),
        ("UPDATE outbox SET space = %s", [f"{space} 2"]),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            app.execute(statement, params)
    app.execute(add, [space])


@pytest.mark.parametrize(
    "attempt",
    [
        "ALTER TABLE facts DISABLE ROW LEVEL SECURITY",
        "DROP POLICY own_space ON facts",
        "CREATE POLICY mine ON facts USING (true)",
        "TRUNCATE facts CASCADE",
        "DROP TABLE facts",
        "CREATE TABLE erstwhile.mine (x int)",
        "INSERT INTO migrations VALUES (99, 'x', 'x', 0)",
    ],
)
def test_the_role_of_the_application_owns_nothing(app: Raw, attempt: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute(attempt)


def test_we_work_as_that_role(engine: PostgresEngine) -> None:
    """Even as superuser; and nothing is left on the connection afterwards."""
    who = "SELECT current_user, current_setting('erstwhile.space')"
    for run in (engine.read, engine.write):
        assert run(lambda session: session.rows(who, {})) == [(ROLE, engine.space)]
    with engine._pool.session() as session:
        left = "SELECT current_user = session_user, current_setting('erstwhile.space', true)"
        assert session.connection.execute(left).fetchall() in ([(True, "")], [(True, None)])


def test_a_login_with_that_role_alone_can_work(
    postgres: str, engine: PostgresEngine, login: str, space: str, raw: Raw
) -> None:
    """After the owner has created the schema."""
    assert engine.schema() >= 1
    raw.execute(f"GRANT {ROLE} TO {login}")
    mine = psycopg.conninfo.make_conninfo(postgres, user=login)
    with _opened(mine, space) as memory:
        fact = memory.remember("x", entities=["Ana"], tags=["t"])
        assert memory.facts.get(fact.id) == fact
        memory.facts.erase(fact.id)
        assert memory.audit.verify().ok


def test_a_login_without_rights_is_told_so(
    postgres: str, engine: PostgresEngine, login: str, space: str
) -> None:
    assert engine.schema() >= 1
    with pytest.raises(erstwhile.StorageError, match="does not allow"):
        _opened(psycopg.conninfo.make_conninfo(postgres, user=login), space)


def test_an_owner_who_may_make_no_roles_is_held_to_the_same_wall(postgres: str, login: str) -> None:
    """As on managed services: the owner of a database without other rights."""
    with fresh_database(postgres) as place:
        with psycopg.connect(place, autocommit=True) as server:
            [(database,)] = server.execute("SELECT current_database()")
            server.execute(f"ALTER DATABASE {database} OWNER TO {login}")
        mine = psycopg.conninfo.make_conninfo(place, user=login)
        with _opened(mine, "a") as a, _opened(mine, "b") as b:
            fact = a.remember("secret")
            assert (a.facts.count(), b.everything().facts.count()) == (1, 0)
            a.facts.erase(fact.id)
            a.remember("another")
        with psycopg.connect(mine, autocommit=True) as owner:
            for table in [*tables(owner), "erstwhile.fact_states"]:
                assert count(owner, table) == 0, table
            enter(owner, "a")
            assert count(owner, "erstwhile.passage_terms") == 1
            assert count(owner, "erstwhile.scopes") == 1


def _opened(place: str, space: str) -> erstwhile.Memory:
    from erstwhile.bootstrap import assemble
    from erstwhile.core.scope import Viewer
    from erstwhile.core.time import SystemClock

    return assemble(PostgresEngine(place, space=space), SystemClock(), Viewer())


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
