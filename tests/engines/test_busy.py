"""Calls while another process locks the file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

import erstwhile
from tests.engines.processes import finish, start

IMPATIENT = erstwhile.Settings(busy_timeout=0.1, embedder="none")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with erstwhile.open(path) as memory:
        memory.remember("from before")
    return path


@contextmanager
def held(file: Path, what: str) -> Iterator[None]:
    """Keep another process inside a `read` or `write` transaction meanwhile."""
    holder = start("hold", file, what)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "ready\n"
    yield
    finish(holder)


def test_a_held_lock_is_a_retryable_error_and_changes_nothing(file: Path) -> None:
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        [fact] = memory.facts.list()
        with held(file, "write"):
            for change in (
                lambda: memory.remember("now"),
                lambda: memory.remember_many(["now", "then"]),
                lambda: memory.facts.replace(fact.id, "now"),
                lambda: memory.facts.retire(fact.id, "wrong"),
                lambda: memory.facts.erase(fact.id),
            ):
                with pytest.raises(erstwhile.BusyError, match="try again") as refused:
                    change()
                assert refused.value.retryable
        assert memory.facts.list(state="any").items == (fact,)
        assert len(memory.audit.list()) == 1
        assert memory.remember("now").text == "now"


def test_whoever_waits_long_enough_gets_the_lock(file: Path) -> None:
    with (
        erstwhile.open(
            file, settings=erstwhile.Settings(busy_timeout=60, embedder="none")
        ) as memory,
        ThreadPoolExecutor(1) as pool,
    ):
        with held(file, "write"):
            waiting = pool.submit(memory.remember, "at last")
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.2)
        assert waiting.result(timeout=300).text == "at last"


def test_opening_a_new_file_waits_for_whoever_looks_into_it(tmp_path: Path) -> None:
    """Another process may be creating it, too."""
    file = tmp_path / "memory.db"
    other = apsw.Connection(str(file))
    other.execute("BEGIN; SELECT * FROM sqlite_master").fetchall()
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(erstwhile.open, file)
        with pytest.raises(TimeoutError):
            opening.result(timeout=0.2)
        other.execute("ROLLBACK")
        opening.result(timeout=300).close()
    other.close()


def test_a_refusal_to_turn_to_the_log_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite may refuse this step at once instead of waiting."""
    refusals = [apsw.BusyError("locked"), apsw.BusyError("locked")]

    def refuse(_: apsw.Cursor, statement: str, __: object) -> bool:
        if "journal_mode" in statement and refusals:
            raise refusals.pop()
        return True

    def trace(connection: apsw.Connection) -> None:
        connection.exec_trace = refuse

    monkeypatch.setattr(apsw, "connection_hooks", [trace])
    erstwhile.open(tmp_path / "memory.db").close()
    assert not refusals


def test_readers_do_not_wait_for_a_writer(file: Path) -> None:
    """Open memories and new ones can be read."""
    with erstwhile.open(file, settings=IMPATIENT) as memory, held(file, "write"):
        assert [fact.text for fact in memory.facts.list()] == ["from before"]
        with erstwhile.open(file, settings=IMPATIENT) as another:
            assert another.facts.count() == 1
            assert another.audit.verify().ok


def test_writers_do_not_wait_for_a_reader(file: Path) -> None:
    with erstwhile.open(file, settings=IMPATIENT) as memory, held(file, "read"):
        assert memory.remember("meanwhile").evidence == 1
        assert memory.facts.count() == 2
