"""Maintenance of a file: sealed entries cannot be altered, and free pages go back to the disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw
import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Session
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from erstwhile.operations.lease import MaintenanceLease
from erstwhile.storage.unit import Unit
from erstwhile.testing.clock import FakeClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    """Return a memory with an old part of the trail that is sealed."""
    clock = FakeClock()
    with assemble(SqliteEngine(path), clock, Viewer()) as memory:
        ana = memory.scoped(user="ana")
        ana.remember("Ana has a boat")
        ana.remember("Ana has a house")
        ana.outcomes.erase(*[ana.outcomes.add("sailing", 1).id for _ in range(8)])
        clock.advance(days=9)
        memory.maintain("audit 1 day")
        ana.remember("Ana has a garden")
        yield memory


@pytest.mark.parametrize(
    "forgery",
    [
        "DELETE FROM audit WHERE seq = 1",
        "UPDATE audit SET actor = 'eve' WHERE seq = 2",
        "UPDATE audit SET sealed = 0 WHERE seq = 1",
        "DELETE FROM audit WHERE action = 'audit.seal'",
        "UPDATE audit SET subject = '1' WHERE action = 'audit.seal'",
        "UPDATE audit SET nonce = NULL WHERE action = 'audit.seal'",
        "UPDATE facts SET text = 'Ana has a car' WHERE text = 'Ana has a boat'",
    ],
)
def test_a_sealed_trail_shows_every_forgery(memory: Memory, path: Path, forgery: str) -> None:
    assert memory.everything().audit.verify().problems == ()
    other = apsw.Connection(str(path))
    other.execute(forgery)
    assert other.changes() == 1
    other.close()
    assert not memory.everything().audit.verify().ok


@pytest.mark.parametrize("cut", range(8))
def test_a_sealing_that_was_cut_short_verifies_and_is_finished(
    monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """After whichever transaction it was cut."""
    clock, step = FakeClock(), MaintenanceLease.step
    done: list[object] = []

    def cut_short(lease: MaintenanceLease, work: Callable[[Unit], object]) -> object:
        if len(done) == cut:
            raise KeyboardInterrupt
        done.append(work)
        return step(lease, work)

    monkeypatch.setattr("erstwhile.operations.maintain.SECTION", 4)
    with assemble(SqliteEngine(":memory:"), clock, Viewer()) as memory:
        ana = memory.scoped(user="ana")
        for number in range(4):
            ana.outcomes.erase(ana.outcomes.add("sailing", 1).id)
            ana.remember(f"Ana sailed past buoy {number}")
        clock.advance(days=9)
        with monkeypatch.context() as patch:
            patch.setattr(MaintenanceLease, "step", cut_short)
            with pytest.raises(KeyboardInterrupt):
                memory.maintain("audit 1 day")
        assert memory.everything().audit.verify().problems == ()
        memory.maintain("audit 1 day")
        assert memory.everything().audit.verify().problems == ()
        assert len(ana.audit.list(limit=200)) == 4 + 1  # the facts, and the seal


def test_free_pages_go_back_to_the_disk(path: Path, memory: Memory) -> None:
    ana = memory.scoped(user="ana")
    for number in range(60):
        ana.conversations.add("user", f"{number} " + "long message " * 400)
    memory.maintain()
    before = path.stat().st_size
    done = {step.name: step.count for step in memory.maintain("messages 10").steps}
    assert done["messages"] == 50
    assert done["file"] > 0
    assert path.stat().st_size < before * 0.7
    assert Path(f"{path}-wal").stat().st_size < 10_000  # only the end of the lease


def test_others_write_while_the_log_waits_for_its_readers(path: Path) -> None:
    """Otherwise a reader that waits for a writer keeps the log from being emptied at all."""
    with closing(SqliteEngine(path, busy_timeout=5)) as engine, ThreadPoolExecutor() as threads:

        def read_while_others_write(session: Session) -> None:
            session.rows("SELECT COUNT(*) FROM facts", {})
            tidying.append(threads.submit(engine.tidy))
            for number in range(10):
                engine.write(partial(run, number))
                time.sleep(0.05)

        def run(number: int, session: Session) -> None:
            session.run("PRAGMA user_version = " + str(number), {})

        tidying = list[Future[Mapping[str, tuple[int, str]]]]()
        engine.read(read_while_others_write)
        assert tidying[0].result(60)["log"][0] == 0
