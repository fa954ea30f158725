"""Backups of a file: made while others write, verified, and rotated."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import erstwhile
from erstwhile.backups.rotation import backup_name, list_backups
from erstwhile.core.errors import (
    CorruptError,
    InvalidInputError,
    NotFoundError,
    StorageError,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with erstwhile.open(tmp_path / "agent.db") as memory:
        memory.scoped(user="ana").remember("Ana drinks tea", key="drink")
        memory.scoped(user="bob").remember("Bob has two cats")
    return tmp_path / "agent.db"


def texts(path: str | Path) -> set[str]:
    with erstwhile.open(path) as memory:
        return {fact.text for fact in memory.everything().facts.list()}


def test_a_backup_is_a_private_file_with_the_whole_memory(file: Path, tmp_path: Path) -> None:
    made = erstwhile.backup(file, tmp_path / "new" / "backups")
    backup = Path(made.path)
    assert backup.parent == tmp_path / "new" / "backups"
    assert backup.stat().st_mode & 0o777 == 0o600
    assert backup.stat().st_size == made.bytes
    assert (made.rows["facts"], made.entries, made.removed) == (2, 2, ())
    assert texts(backup) == {"Ana drinks tea", "Bob has two cats"}


def test_a_backup_is_one_snapshot_while_others_write(file: Path, tmp_path: Path) -> None:
    """Each pair of facts is written together, so a backup has none or both."""
    done = threading.Event()

    def write() -> None:
        with erstwhile.open(file) as memory:
            for number in range(2_000):
                if done.is_set():
                    return
                memory.remember_many([f"Left {number} {'x' * 2_000}", f"Right {number}"])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = [erstwhile.backup(file, tmp_path / "backups") for _ in range(4)]
    finally:
        done.set()
        writer.join(60)
    counts = [each.rows["facts"] for each in made]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    for each in made:
        found = texts(each.path)
        left = {text.split()[1] for text in found if text.startswith("Left")}
        assert left == {text.split()[1] for text in found if text.startswith("Right")}


def test_only_the_newest_backups_of_the_same_memory_stay(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    others = [
        folder / "other.20261117T093000000000Z.db",
        folder / "agent.db",
        folder / "agent.x.db",
    ]
    for other in others:
        other.write_text("something else")
    made = [erstwhile.backup(file, folder, keep=2) for _ in range(4)]
    assert [each.removed for each in made] == [(), (), (made[0].path,), (made[1].path,)]
    kept = [path for _, path in list_backups(folder, "agent")]
    assert [str(path) for path in kept] == [made[2].path, made[3].path]
    assert all(other.exists() for other in others)


def test_old_backups_go_and_the_new_one_stays(file: Path, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    for days in (40, 20):
        (tmp_path / backup_name("agent", now - timedelta(days=days))).write_text("old")
    made = erstwhile.backup(file, tmp_path, keep_for="30 days")
    assert [Path(path).name for path in made.removed] == [
        backup_name("agent", now - timedelta(days=40))
    ]
    newest = erstwhile.backup(file, tmp_path, keep_for=timedelta(0))
    assert [str(path) for _, path in list_backups(tmp_path, "agent")] == [newest.path]


@pytest.mark.parametrize("stamp", ["20991117T093000000000Z", "99999999T999999999999Z"])
def test_a_file_with_a_later_time_removes_no_backup(file: Path, tmp_path: Path, stamp: str) -> None:
    """A clock was ahead, or somebody named a file so."""
    later = tmp_path / f"agent.{stamp}.db"
    later.write_text("no backup", "utf-8")
    made = erstwhile.backup(file, tmp_path, keep=1)
    assert (made.removed, later.exists()) == ((), True)
    assert texts(made.path) == texts(file)


def test_a_backup_that_fails_leaves_nothing(file: Path, tmp_path: Path) -> None:
    with file.open("r+b") as damaged:
        damaged.seek(4096 * 3)
        damaged.write(b"\xff" * 4096)
    folder = tmp_path / "backups"
    with pytest.raises(CorruptError):
        erstwhile.backup(file, folder)
    assert list(folder.iterdir()) == []


def test_a_failed_backup_removes_no_older_one(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    good = erstwhile.backup(file, folder, keep=1)
    with file.open("r+b") as damaged:
        damaged.seek(4096 * 3)
        damaged.write(b"\xff" * 4096)
    with pytest.raises(CorruptError):
        erstwhile.backup(file, folder, keep=1)
    assert [str(path) for path in folder.iterdir()] == [good.path]


def test_an_unfinished_backup_does_not_count(file: Path, tmp_path: Path) -> None:
    (tmp_path / "agent.20261117T093000000000Z.db.unfinished").write_text("half")
    made = erstwhile.backup(file, tmp_path, keep=1)
    assert made.removed == ()
    assert len(list_backups(tmp_path, "agent")) == 1


@pytest.mark.parametrize("keep", [0, -1, True])
def test_a_backup_is_always_kept(file: Path, tmp_path: Path, keep: int) -> None:
    with pytest.raises(InvalidInputError, match="keep at least one"):
        erstwhile.backup(file, tmp_path / "backups", keep=keep)


def test_a_missing_memory_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        erstwhile.backup(tmp_path / "typo.db", tmp_path / "backups")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [":memory:", "file:agent.db?mode=ro"])
def test_only_files_and_servers_are_backed_up(place: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="path of a file"):
        erstwhile.backup(place, tmp_path)


def test_a_folder_that_is_a_file_is_told(file: Path, tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("a file")
    with pytest.raises(StorageError, match="check the folder"):
        erstwhile.backup(file, tmp_path / "backups")
