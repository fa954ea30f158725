"""Many threads in one process."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import erstwhile
from erstwhile.engines.sqlite.group_commit import GroupCommit
from erstwhile.facts.remember import remember
from erstwhile.storage.unit import Unit
from tests.engines.grouping import as_a_group
from tests.engines.processes import outcome


def commits(memory: erstwhile.Memory) -> GroupCommit[Any]:
    found = memory._access.engine._commits  # type: ignore[attr-defined]
    assert isinstance(found, GroupCommit)
    return found


@pytest.mark.parametrize("place", ["memory.db", ":memory:"])
def test_threads_that_write_and_read_at_once_lose_nothing(tmp_path: Path, place: str) -> None:
    location = place if place == ":memory:" else tmp_path / place
    with erstwhile.open(location) as memory, ThreadPoolExecutor(16) as pool:

        def write(thread: int) -> list[str]:
            return [memory.remember(f"thread {thread} says {n}").id for n in range(25)]

        def read(_: int) -> list[int]:
            return [memory.facts.count() for _ in range(50)]

        written, counted = pool.map(write, range(12)), list(pool.map(read, range(4)))
        ids = {id for each in written for id in each}
        assert len(ids) == memory.facts.count() == 300
        assert all(counts == sorted(counts) for counts in counted)
        assert memory.audit.verify().ok


def test_a_change_that_fails_in_a_group_is_undone_alone(tmp_path: Path) -> None:
    """Its writes are undone, those of the others stay."""

    def half(unit: Unit) -> None:
        remember(unit, erstwhile.draft("half done"))
        raise ValueError("in the middle")

    with erstwhile.open(tmp_path / "memory.db") as memory:
        calls: list[Callable[[], object]] = [
            partial(memory.remember, "before"),
            partial(memory._access.change, half),
            partial(memory.remember, "after"),
        ]
        errors = [future.exception() for future in as_a_group(commits(memory), calls)]
        assert [type(error) for error in errors] == [type(None), ValueError, type(None)]
        assert {fact.text for fact in memory.facts.list(state="any")} == {"before", "after"}
        assert memory.audit.verify().ok


def test_a_full_disk_in_a_group_fails_exactly_those_that_are_not_stored(tmp_path: Path) -> None:
    """SQLite ends the whole transaction, so every call must fail."""
    texts = ["small", "x" * 100_000, "little"]
    with erstwhile.open(tmp_path / "memory.db") as memory:
        memory.remember("first")
        writer = memory._access.engine._writer.connection  # type: ignore[attr-defined]
        pages = writer.pragma("page_count")
        writer.pragma("max_page_count", pages + 10)
        futures = as_a_group(commits(memory), [partial(memory.remember, text) for text in texts])
        errors = [error for future in futures if (error := future.exception())]
        assert errors
        assert all(isinstance(error, erstwhile.StorageError) for error in errors)
        assert any("full" in str(error) for error in errors)
        stored = {future.result().text for future in futures if not future.exception()}
        assert {fact.text for fact in memory.facts.list()} == {"first", *stored}
        assert memory.audit.verify().ok
        writer.pragma("max_page_count", pages + 1_000)
        assert [memory.remember(text).evidence for text in texts] == [
            2 if text in stored else 1 for text in texts
        ]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_interrupts_lose_nothing_do_nothing_twice_and_leave_the_memory_usable(
    tmp_path: Path,
) -> None:
    """Ctrl-C hundreds of times at random moments, then closing."""
    told = outcome("interrupt", tmp_path / "memory.db", 200)
    assert told == {"errors": [], "lost": [], "twice": 0, "problems": [], "altered": 0}


def test_a_durable_write_costs_one_sync(tmp_path: Path) -> None:
    """With FULL, a single thread syncs the log once per `remember`."""
    counted = outcome("count_syncs", tmp_path / "memory.db", "FULL", 1, 50)
    assert counted == {"facts": 50, "log_syncs": 50, "verified": True}


def test_a_write_that_is_not_durable_costs_none(tmp_path: Path) -> None:
    """A control: with NORMAL the count is zero."""
    counted = outcome("count_syncs", tmp_path / "memory.db", "NORMAL", 1, 50)
    assert counted == {"facts": 50, "log_syncs": 0, "verified": True}


def test_threads_that_write_at_once_share_syncs(tmp_path: Path) -> None:
    """Group commit: fewer syncs than writes, and nothing lost."""
    counted = outcome("count_syncs", tmp_path / "memory.db", "FULL", 8, 25)
    assert counted["facts"] == 200
    assert counted["verified"]
    assert 0 < counted["log_syncs"] < 200


def test_an_answer_about_the_past_waits_for_what_is_being_stored(tmp_path: Path) -> None:
    """The change has its timestamp already: without waiting, the answer would change later."""
    with erstwhile.open(tmp_path / "memory.db") as memory:
        begun, go_on, tea = Event(), Event(), erstwhile.draft("tea")

        def slowly(unit: Unit) -> erstwhile.Fact:
            fact = remember(unit, tea)
            begun.set()
            assert go_on.wait(60)
            return fact

        with ThreadPoolExecutor(2) as pool:
            writing = pool.submit(memory._access.change, slowly)
            assert begun.wait(60)
            asked_at = memory._access.clock.now()
            asking = pool.submit(lambda: memory.facts.list(known_at=asked_at).items)
            with pytest.raises(TimeoutError):
                asking.result(timeout=0.2)
            go_on.set()
            assert asking.result(60) == (writing.result(60),)
