"""Closing a memory, and calls after it."""

from __future__ import annotations

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import erstwhile
from erstwhile.core.ports import Session


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    memory = erstwhile.open(tmp_path / "memory.db")
    view = memory.scoped(user="ana")
    memory.close()
    view.close()
    memory.close()


def test_closing_leaves_one_file_and_no_companions(tmp_path: Path) -> None:
    with erstwhile.open(tmp_path / "memory.db") as memory:
        memory.remember("something")
        memory.facts.count()
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


def test_an_error_in_a_with_block_closes_the_memory(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), erstwhile.open(tmp_path / "memory.db") as memory:
        raise ZeroDivisionError
    with pytest.raises(erstwhile.ClosedError):
        memory.facts.count()


def test_closing_waits_for_what_is_under_way(tmp_path: Path) -> None:
    """Closing returns after a write under way is acknowledged."""
    memory = erstwhile.open(tmp_path / "memory.db")
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: Session) -> str:
        inside.set()
        go_on.wait(60)
        return "finished"

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(memory._access.engine.write, slow)
        inside.wait(60)
        closing = pool.submit(memory.close)
        with pytest.raises(TimeoutError):
            closing.result(timeout=0.1)
        go_on.set()
        assert writing.result(timeout=300) == "finished"
        closing.result(timeout=300)


def test_closing_while_many_write_ends_them_all_and_loses_nothing(tmp_path: Path) -> None:
    """Continuous writers do not keep the memory open."""
    memory = erstwhile.open(tmp_path / "memory.db")
    acknowledged: list[str] = []
    begun = threading.Barrier(9, timeout=60)

    def write(thread: int) -> str:
        begun.wait(60)
        try:
            while True:
                text = f"thread {thread} says {len(acknowledged)}"
                acknowledged.append(memory.remember(text).id)
        except erstwhile.ClosedError:
            return "closed"

    with ThreadPoolExecutor(8) as pool:
        writers = [pool.submit(write, thread) for thread in range(8)]
        begun.wait(60)
        while len(acknowledged) < 50:
            assert not any(writer.done() for writer in writers)
        memory.close()
        assert {writer.result(timeout=300) for writer in writers} == {"closed"}
    with erstwhile.open(tmp_path / "memory.db") as again:
        assert all(again.facts.get(id).id == id for id in acknowledged)
        assert again.audit.verify().ok


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files cannot be counted here")
def test_opening_and_closing_leaks_no_file_descriptor(tmp_path: Path) -> None:
    """After closing, after garbage collection, and after a failed opening."""
    (tmp_path / "notes").write_text("not a memory " * 100)

    def once() -> None:
        with erstwhile.open(tmp_path / "memory.db") as memory, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: memory.facts.count(), range(8)))
        erstwhile.open(tmp_path / "memory.db").remember("dropped")
        with pytest.raises(erstwhile.CorruptError):
            erstwhile.open(tmp_path / "notes")
        gc.collect()

    once()
    before = os.listdir("/dev/fd")  # noqa: PTH208  it lists no files
    for _ in range(5):
        once()
    assert len(os.listdir("/dev/fd")) == len(before)  # noqa: PTH208
