"""The short version of the suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import erstwhile
from tests.engines.postgres.server import shared_url
from tests.engines.processes import outcome
from tests.reliability import faults, power
from tests.reliability.histories import Event, check, run
from tests.reliability.kills import REPEATED, compare
from tests.reliability.memory_file import Outcome, opened, scratch


@pytest.mark.parametrize(
    ("kind", "stride"),
    [("open", 1), ("read", 15), ("write", 40), ("full", 45), ("sync", 4), ("truncate", 1)],
)
def test_a_failed_operation_changes_nothing_and_the_next_change_works(
    kind: str, stride: int
) -> None:
    found = faults.run(kind, stride=stride)
    assert found.tried > 0
    assert set(found.errors) == {"StorageError"}
    assert (found.lost, found.broken) == (0, [])


def test_a_full_disk_refuses_changes_and_loses_none() -> None:
    found = faults.run_full_disk(rounds=12)
    assert set(found.errors) == {"StorageError"}
    assert (found.lost, found.broken) == (0, [])


def test_each_new_name_is_synced_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a file is synced by SQLite, the folders above it are not."""
    synced: set[Path] = set()
    sync = os.fsync

    def noted(opened: int) -> None:
        synced.add(Path(f"/proc/self/fd/{opened}").readlink())
        sync(opened)

    monkeypatch.setattr(os, "fsync", noted)
    opened(tmp_path / "new" / "folder" / "memory.db").close()
    assert synced == {tmp_path, tmp_path / "new", tmp_path / "new" / "folder"}
    synced.clear()
    erstwhile.backup(tmp_path / "new" / "folder" / "memory.db", tmp_path / "other" / "backups")
    assert synced == {tmp_path, tmp_path / "other", tmp_path / "other" / "backups"}


def test_processes_at_once_see_one_history() -> None:
    with scratch() as folder:
        found = run(str(folder / "memory.db"), "main", processes=4, operations=60, seed=1)
    assert (found.tried, found.broken) == (240, [])
    assert found.done > 50


def changed(seen: object, at: str, begin: float, register: str = "block 0") -> Event:
    return Event(register, begin, begin + 1, seen, at)


@pytest.mark.parametrize(
    "events",
    [
        [changed([2, "a"], "1", 0), changed([2, "b"], "2", 0)],
        [changed([3, "a"], "1", 0)],
        [changed([2, "a"], "2", 0), changed([2, "b"], "1", 5)],
        [changed([2, "a"], "1", 0), Event("block 0", 5, 6, [1, "begin"])],
        [Event("block 0", 0, 1, [2, "a"]), changed([2, "a"], "1", 5)],
        [changed(1, "1", 0, "count 0"), changed(1, "2", 3, "count 0")],
        [changed("x", "1", 0, "key 0"), Event("key 0", 3, 4, None)],
    ],
    ids=["lost update", "gap", "order", "stale read", "early read", "lost count", "lost value"],
)
def test_a_history_that_cannot_have_happened_is_seen(events: list[Event]) -> None:
    assert list(check(events))


def test_a_killed_writer_loses_no_acknowledged_change() -> None:
    """Neither on a file nor on a server."""
    with scratch() as folder:
        for place, space, kills in (
            (folder / "memory.db", "main", 12),
            (shared_url(), "killed", 3),
        ):
            found = Outcome(**outcome("tests.reliability.kills", place, space, kills, 1))
            assert found.done > kills
            assert (found.tried, found.lost, found.broken) == (kills + 4, 0, [])


def test_a_loss_is_seen(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.db")
    with opened(file, "main") as memory:
        memory.blocks.add("log", "line")
        memory.remember("fact")
        assert isinstance(memory.remember(REPEATED), erstwhile.Fact)
    assert compare(file, "main", ["fact fact", "line line", "same x"]).lost == 0
    assert compare(file, "main", ["fact gone", "line gone", "same x", "same y"]).lost == 3


def test_a_power_cut_loses_no_acknowledged_change() -> None:
    found = power.run("FULL", lives=1, changes=30, cuts=40, seed=1)
    assert (found.tried, found.lost, found.broken) == (40, 0, [])


def test_without_syncs_acknowledged_changes_are_lost_but_nothing_breaks() -> None:
    """So the trial can see a loss."""
    found = power.run("NORMAL", lives=1, changes=30, cuts=20, seed=1)
    assert found.lost > 0
    assert found.broken == []
