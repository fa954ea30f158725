"""Broken connections and server restarts: nothing is lost, and nothing done twice."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.bootstrap import assemble
from erstwhile.core.background import JobHealth
from erstwhile.core.ports import Session
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres import engine as postgres_engine
from erstwhile.engines.postgres.engine import PostgresEngine
from tests.contracts.base import texts
from tests.engines.postgres.proxy import Proxy, proxy
from tests.engines.postgres.server import Server, fresh_database, running


def opened(url: str, space: str, **said: float) -> Memory:
    return assemble(PostgresEngine(url, space=space, **said), SystemClock(), Viewer())  # type: ignore[arg-type]


@pytest.fixture
def own(postgres: str) -> Iterator[str]:
    """Create a database for one test, so that connections of others do not break."""
    with fresh_database(postgres) as place:
        yield place


@pytest.fixture
def breaker(own: str) -> Iterator[Callable[[], None]]:
    with psycopg.connect(own, autocommit=True) as connection:

        def broken() -> None:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

        yield broken


def test_connections_that_broke_while_nobody_used_them_are_replaced(
    own: str, breaker: Callable[[], None]
) -> None:
    with opened(own, "s") as memory:
        memory.remember("before")
        breaker()
        assert texts(memory.facts.list()) == ["before"]
        breaker()
        memory.remember("after")
        assert texts(memory.facts.list()) == ["after", "before"]


@pytest.mark.parametrize("way", ["read", "write"])
def test_what_breaks_on_the_way_is_done_again(
    own: str, breaker: Callable[[], None], way: str
) -> None:
    """It starts from the beginning: nothing of the broken transaction is stored."""
    engine, attempts = PostgresEngine(own), []

    def work(session: Session) -> list[tuple[object, ...]]:
        attempts.append(session.rows("SELECT 1", {}))
        if way == "write":
            session.run("UPDATE facts SET pinned = 1 WHERE space = :space", {"space": "main"})
        if len(attempts) < 3:
            breaker()
        return session.rows("SELECT 2", {})

    assert getattr(engine, way)(work) == [(2,)]
    assert len(attempts) == 3
    engine.close()


@pytest.fixture
def on_the_way(own: str) -> Iterator[Proxy]:
    with tempfile.TemporaryDirectory(prefix="proxy-") as folder, proxy(own, Path(folder)) as way:
        yield way


@pytest.mark.parametrize("cut", ["question", "answer"])
def test_a_commit_that_went_unanswered_is_looked_up(on_the_way: Proxy, cut: str) -> None:
    """It is repeated only if it was not stored; the result is returned."""
    with opened(on_the_way.url, "s") as memory:
        on_the_way.cut = cut
        fact = memory.remember("once")
        assert on_the_way.cut == "", "it was cut"
        assert list(memory.facts.list()) == [fact]
        assert (fact.evidence, len(memory.audit.list())) == (1, 1)
        assert memory.audit.verify().ok


@pytest.mark.parametrize("cut", ["question", "answer"])
def test_where_it_cannot_be_looked_up_it_is_said(on_the_way: Proxy, own: str, cut: str) -> None:
    """A server that stays away cannot tell the result. Nothing is done twice."""
    with opened(on_the_way.url, "s", busy_timeout=0.3) as memory:
        memory.remember("before")
        on_the_way.cut = cut
        on_the_way.close()
        with pytest.raises(erstwhile.UncertainError) as caught:
            memory.remember("perhaps")
        assert not caught.value.retryable
    with opened(own, "s") as memory:
        assert memory.facts.count() == 1 + (cut == "answer")


def test_a_statement_that_an_error_kept_from_being_prepared_works_later(postgres: str) -> None:
    """The driver prepares it with the sixth use, which the server skips after an error."""
    engine = PostgresEngine(postgres, space="s", connections=1)
    asked = "SELECT CAST(:number AS BIGINT) + 1"

    def used(session: Session, *, broken: bool = False) -> object:
        if broken:
            session.execute_async("SELECT 1 / CAST(:number AS BIGINT)", {"number": 0})
        return session.rows(asked, {"number": 1})[0][0]

    for _ in range(5):
        assert engine.read(used) == 2
    with pytest.raises(erstwhile.StorageError, match="zero"):
        engine.write(lambda session: used(session, broken=True))
    assert engine.write(used) == 2
    engine.close()


def test_the_numbers_of_connections_are_forgotten(own: str) -> None:
    """Each connection has one row, which is removed when nobody can ask for it any more."""
    with opened(own, "s") as memory, psycopg.connect(own, autocommit=True) as raw:
        raw.execute("SET erstwhile.space = 's'")
        for number in range(3):
            memory.remember(f"fact {number}")
        assert raw.execute("SELECT number >= 3 FROM erstwhile.commits").fetchall() == [(True,)]
        raw.execute("UPDATE erstwhile.commits SET stored_at = stored_at - 100000")
        memory._access.engine._pool.clear()  # type: ignore[attr-defined]
        memory.remember("fact 3")
        assert raw.execute("SELECT number FROM erstwhile.commits").fetchall() == [(1,)]


def test_maintenance_forgets_all_connections_that_nobody_asks_for(own: str) -> None:
    """A new connection forgets a few of them; a call never has to remove thousands."""
    old = (
        "INSERT INTO erstwhile.commits SELECT 's', each, 1, 0 FROM generate_series(1, 2500) AS each"
    )
    engine = PostgresEngine(own, space="s")
    with psycopg.connect(own, autocommit=True) as raw:
        raw.execute("SET erstwhile.space = 's'")
        raw.execute(old.encode())
        with assemble(engine, SystemClock(), Viewer()) as memory:
            memory.remember("a fact")
            left = raw.execute("SELECT count(*) FROM erstwhile.commits").fetchall()[0][0]
            assert 2400 < left < 2501
            assert engine.forget_clients() == left - 1
            assert engine.forget_clients() == 0
            memory.remember("another fact")


def test_a_server_that_stays_away_is_said_to(own: str, tmp_path: Path) -> None:
    nowhere = psycopg.conninfo.make_conninfo(own, host=str(tmp_path))
    with pytest.raises(erstwhile.UnavailableError) as caught:
        PostgresEngine(nowhere)
    assert caught.value.retryable
    with (
        tempfile.TemporaryDirectory(prefix="proxy-") as folder,
        proxy(own, Path(folder)) as way,
        opened(way.url, "s", busy_timeout=0.3) as memory,
    ):
        memory.remember("x")
        way.close()
        memory._access.engine._pool.clear()  # type: ignore[attr-defined]
        for ask in (memory.facts.count, lambda: memory.remember("y")):
            with pytest.raises(erstwhile.UnavailableError):
                ask()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Start a durable server that the test may stop."""
    with running({"fsync": "on"}) as server:
        yield server


def test_a_restart_of_the_server_is_survived(server: Server) -> None:
    """Readers, waiting writers and listeners survive it."""
    with opened(server.url, "restart", busy_timeout=60.0) as memory:
        stop, written = Event(), list[str]()

        def write() -> None:
            while not stop.is_set():
                written.append(memory.remember(f"fact {len(written)}").id)

        memory.remember("before")
        writer = Thread(target=write)
        writer.start()
        while len(written) < 20:
            memory.facts.count()
        server.stop()
        server.start()
        reached = len(written)
        while len(written) < reached + 20:
            memory.facts.count()
        stop.set()
        writer.join(60)
        assert memory.facts.count() == len(written) + 1 == len(set(written)) + 1
        assert memory.audit.verify().ok


def test_a_listener_survives_a_restart(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_engine, "_DELAY", 0.0)
    ours, theirs = (PostgresEngine(server.url, space="listen", busy_timeout=60) for _ in range(2))
    heard = Event()
    ours.listen(heard.set, JobHealth("listening", SystemClock()))
    assert heard.wait(60), "it looks once when it begins to listen"
    server.stop()
    heard.clear()
    server.start()
    assert heard.wait(60), "and once more when it begins again"
    heard.clear()
    theirs.read(lambda session: session.rows("SELECT 1", {}))
    theirs.announce()
    assert heard.wait(60)
    ours.close()
    theirs.close()
