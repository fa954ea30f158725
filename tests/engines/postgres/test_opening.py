"""Addresses, settings, driver errors, forks and the command line on PostgreSQL."""

from __future__ import annotations

import os
import sys
from threading import Event

import psycopg
import pytest

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.background import JobHealth
from erstwhile.core.scope import Viewer
from erstwhile.core.text import folded
from erstwhile.engines.postgres import engine as postgres_engine
from erstwhile.engines.postgres.connection import numbered, translate
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.testing.clock import FakeClock
from tests.cli.shell import run
from tests.doubles import UnreliableEmbedder
from tests.engines.processes import outcome

SCENES = "tests.engines.fork_scenes"
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def test_a_memory_is_opened_by_its_address(postgres: str, space: str) -> None:
    settings = erstwhile.Settings(space=space, embedder="none")
    with erstwhile.open(postgres, settings=settings) as memory:
        fact = memory.remember("x")
        assert memory.stats().engine == "postgres"
    with erstwhile.open(postgres.replace("postgresql:", "postgres:"), settings=settings) as memory:
        assert memory.facts.get(fact.id) == fact


@pytest.mark.parametrize("address", ["postgresql://[host/x", "postgresql://h/d?nonsense=1"])
def test_a_malformed_address_is_refused(address: str) -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="not an address"):
        erstwhile.open(address)


def test_a_password_is_in_no_message() -> None:
    with pytest.raises(erstwhile.UnavailableError) as caught:
        erstwhile.open("postgresql://me:topsecret@127.0.0.1:1/x")
    assert "topsecret" not in str(caught.value)
    assert "topsecret" not in repr(caught.value.__cause__)


def test_without_the_packages_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.startswith("erstwhile.engines.postgres.engine")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(erstwhile.InvalidInputError, match=r"erstwhile\[postgres\]"):
        erstwhile.open("postgresql://host/database")


def test_a_file_has_no_other_spaces() -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="one space"):
        erstwhile.open(":memory:", settings=erstwhile.Settings(space="other"))


TOLD: dict[str, type[erstwhile.ErstwhileError]] = {
    "40001": erstwhile.BusyError,
    "40P01": erstwhile.BusyError,
    "55P03": erstwhile.BusyError,
    "57014": erstwhile.BusyError,
    "57P01": erstwhile.UnavailableError,
    "08006": erstwhile.UnavailableError,
    "53300": erstwhile.UnavailableError,
    "23505": erstwhile.ConflictError,
    "23503": erstwhile.ConflictError,
    "42501": erstwhile.StorageError,
    "25006": erstwhile.UnavailableError,
    "53100": erstwhile.StorageError,
    "XX001": erstwhile.CorruptError,
    "42601": erstwhile.StorageError,
}


@pytest.mark.parametrize("code", TOLD)
def test_a_driver_s_error_is_one_of_ours(code: str) -> None:
    error = translate(psycopg.errors.lookup(code)("it went wrong\nDETAIL: Key (text)=(secret)"))
    assert type(error) is TOLD[code]
    assert "secret" not in str(error)


def test_a_lost_connection_without_a_code_is_recognised() -> None:
    for lost in (psycopg.OperationalError("closed"), psycopg.InterfaceError("closed")):
        assert type(translate(lost)) is erstwhile.UnavailableError


def test_parameters_are_numbered() -> None:
    """A repeated name has one number; casts and texts with a colon are no names."""
    text = "SELECT :b::text, :a, :b, '12:30' WHERE x = :a_1"
    assert numbered(text) == ("SELECT $1::text, $2, $1, '12:30' WHERE x = $3", ("b", "a", "a_1"))


def test_texts_are_folded_by_the_server_as_they_are_here(engine: PostgresEngine) -> None:
    """`contains` finds the same facts on both engines."""
    texts = [
        "", "  a  B\t\nc ", "Straße STRASSE", "ΣΊΣΥΦΟΣ ς", "ǅ ﬁ ﬀ", "İstanbul ı", "Ⅳ ½", "ÅÅ",
        "a\u00a0b\u3000c\u2028d\u0085e\x1cf", "数据库 データ", "ẞ ŉ ΐ", "Ꭰ ꭰ", "e\u0301 É",
    ]  # fmt: skip
    for text in texts:
        answer = engine.read(lambda session: session.rows("SELECT folded(:x)", {"x": text}))  # noqa: B023
        assert answer == [(folded(text),)], ascii(text)


@pytest.fixture
def named(postgres: str, space: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name the server in the environment, as a user does."""
    monkeypatch.setenv("ERSTWHILE_DB", postgres)
    monkeypatch.setenv("ERSTWHILE_SPACE", space)
    return postgres


def test_the_command_line_works_on_it(named: str) -> None:  # noqa: ARG001
    fact = run("--json", "remember", "Ana likes tea", "--entity", "Ana").data
    assert [each["id"] for each in run("--json", "facts", "list").items] == [fact["id"]]
    assert "tea" in run("--json", "recall", "what does Ana like").out
    assert run("--json", "stats").data["engine"] == "postgres"
    assert run("--json", "facts", "erase", fact["id"], "--yes").code == 0
    assert run("--json", "audit", "verify").code == 0


@FORKS
@pytest.mark.parametrize(
    ("scene", "told"),
    [
        (
            "both_go_on",
            {"child_read": "before the fork", "written": 50, "count": 51, "verified": True},
        ),
        ("the_parent_closes_first", {"told": "from the child"}),
        (
            "by_multiprocessing",
            {"told": ["worker 0", "worker 1", "worker 2"], "count": 4, "verified": True},
        ),
    ],
)
def test_a_process_may_fork(named: str, scene: str, told: object) -> None:
    """Parent and child have separate connections."""
    assert outcome(SCENES, scene, named) == told


@FORKS
def test_forking_while_other_threads_write_loses_nothing(named: str) -> None:
    told = outcome(SCENES, "while_others_write", named)
    assert (told["lost"], told["missing"], told["verified"]) == ([], 0, True)


def test_a_worker_hears_what_another_process_stored(
    postgres: str, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process has no embedder, such as a web server beside a worker."""
    monkeypatch.setattr(postgres_engine, "_DELAY", 0.0)
    monkeypatch.setattr("erstwhile.core.background._LOOK_EVERY", 3600.0)
    embedded = Event()

    class Told(UnreliableEmbedder):
        def embed(self, texts, *, query=False):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            embedded.set()
            return super().embed(texts, query=query)

    clock, viewer = FakeClock(), Viewer()
    working = assemble(PostgresEngine(postgres, space=space), clock, viewer, Told)
    listener = working._access.engine._listener  # type: ignore[attr-defined]
    assert listener.listening.wait(60)
    with assemble(PostgresEngine(postgres, space=space), clock, viewer) as other:
        other.remember("to be embedded")
        assert embedded.wait(60)
    working.close()


def test_what_is_announced_elsewhere_wakes_nobody(
    postgres: str, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another space uses the same channel."""
    monkeypatch.setattr(postgres_engine, "_DELAY", 0.0)
    heard: list[int] = []
    ours, same, elsewhere = (
        PostgresEngine(postgres, space=name) for name in (space, space, f"{space} 2")
    )
    done = Event()

    def wake() -> None:
        heard.append(len(heard))
        if len(heard) == 2:
            done.set()

    ours.listen(wake, JobHealth("listening", FakeClock()))
    assert ours._listener is not None
    assert ours._listener.listening.wait(60)
    elsewhere.announce()
    same.announce()
    assert done.wait(60), "once when it began, and once for its own space"
    assert len(heard) == 2
    for engine in (ours, same, elsewhere):
        engine.close()
