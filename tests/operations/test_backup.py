"""Backups of a file: made while others write, verified, and rotated."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import erstwhile
from erstwhile.core.errors import CorruptError, InvalidInputError, StorageError
from erstwhile.operations.backup import backup_name, list_backups
from erstwhile.testing.clock import FakeClock

_KILLED = """
import os, signal, sys
import erstwhile
erstwhile.backup(
    sys.argv[1], sys.argv[2], progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL)
)
"""
_WAITING = """
import sys
import erstwhile
def wait(*_):
    print("begun", flush=True)
    sys.stdin.readline()
print(erstwhile.backup(sys.argv[1], sys.argv[2], progress=wait).path, flush=True)
"""

UNFINISHED = "20261117T093000000000Z.db.unfinished"


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
    done, begun = threading.Event(), threading.Event()

    def write() -> None:
        with erstwhile.open(file) as memory:
            for number in range(2_000):
                if done.is_set():
                    return
                memory.remember_many([f"Left {number} {'x' * 2_000}", f"Right {number}"])
                begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(60)
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
    stamp = "20251117T093000000000Z.db"
    others = [
        folder / name for name in (f"other.{stamp}", f"agent.{stamp}", "agent.db", "agent.x.db")
    ]
    for other in others:
        other.write_text("something else")
    made = [erstwhile.backup(file, folder, keep=2) for _ in range(4)]
    assert [each.removed for each in made] == [(), (), (made[0].path,), (made[1].path,)]
    kept = {str(path) for _, path in list_backups(folder, "agent")} - set(map(str, others))
    assert kept == {made[2].path, made[3].path}
    assert all(other.exists() for other in others)


def test_memories_with_the_same_name_keep_their_backups(file: Path, tmp_path: Path) -> None:
    """Another memory, and a copy that went its own way."""
    folder, paths = tmp_path / "backups", [file]
    for name in ("other", "copy"):
        paths.append(tmp_path / name / "agent.db")
        paths[-1].parent.mkdir()
    with erstwhile.open(paths[1]) as memory:
        memory.scoped(user="ana").remember("Ana drinks tea", key="drink")
    shutil.copy(file, paths[2])
    for number, path in enumerate(paths):
        with erstwhile.open(path) as memory:
            memory.remember(f"memory {number}")
    made = {path: [erstwhile.backup(path, folder, keep=1) for _ in range(2)] for path in paths}
    for path, (first, second) in made.items():
        assert second.removed == (first.path,)
        assert texts(second.path) == texts(path)


def test_what_a_restored_memory_no_longer_has_stays(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    before = erstwhile.backup(file, folder)
    with erstwhile.open(file) as memory:
        memory.remember("Ana drinks coffee")
    lost = erstwhile.backup(file, folder)
    erstwhile.restore(before.path, file, overwrite=True)
    made = erstwhile.backup(file, folder, keep=1)
    assert (made.removed, Path(lost.path).exists()) == ((before.path,), True)


def test_backups_of_a_sealed_memory_are_rotated(tmp_path: Path) -> None:
    clock = FakeClock()
    with erstwhile.open(tmp_path / "agent.db", clock=clock) as memory:
        memory.facts.erase(*[memory.remember(f"Ana has cat {n}").id for n in range(20)])
        old = erstwhile.backup(tmp_path / "agent.db", tmp_path / "backups")
        clock.advance(days=40)
        memory.remember("Ana drinks tea")
        steps = {step.name: step.count for step in memory.maintain({"audit": "30 days"}).steps}
        assert steps["audit"] > 0
    made = erstwhile.backup(tmp_path / "agent.db", tmp_path / "backups", keep=1)
    assert made.removed == (old.path,)


def test_old_backups_go_and_the_new_one_stays(file: Path, tmp_path: Path) -> None:
    now, made = datetime.now(UTC), Path(erstwhile.backup(file, tmp_path).path)
    aged = {days: tmp_path / backup_name("agent", now - timedelta(days=days)) for days in (40, 20)}
    for path in aged.values():
        shutil.copy(made, path)
    assert erstwhile.backup(file, tmp_path, keep_for="30 days").removed == (str(aged[40]),)
    newest = erstwhile.backup(file, tmp_path, keep_for=timedelta(0))
    assert [str(path) for _, path in list_backups(tmp_path, "agent")] == [newest.path]


@pytest.mark.parametrize(
    "name", ["20991117T093000000000Z.db", "99999999T999999999999Z.db", UNFINISHED]
)
def test_a_file_that_is_no_older_backup_removes_none(file: Path, tmp_path: Path, name: str) -> None:
    """A clock was ahead, somebody named a file so, or a backup is unfinished."""
    other = tmp_path / f"agent.{name}"
    other.write_text("no backup", "utf-8")
    made = erstwhile.backup(file, tmp_path, keep=1)
    assert (made.removed, other.exists()) == ((), True)
    assert texts(made.path) == texts(file)
    assert len(list_backups(tmp_path, "agent")) == 1 + name.startswith("2099")


def test_a_failed_backup_leaves_nothing_and_removes_none(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    good = erstwhile.backup(file, folder, keep=1)
    with file.open("r+b") as damaged:
        damaged.seek(4096 * 3)
        damaged.write(b"\xff" * 4096)
    with pytest.raises(CorruptError):
        erstwhile.backup(file, folder, keep=1)
    assert [str(path) for path in folder.iterdir()] == [good.path]


def test_the_next_backup_removes_what_a_killed_one_left(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    words = (sys.executable, "-c", _KILLED, str(file), str(folder))
    assert subprocess.run(words, check=False, timeout=60).returncode == -signal.SIGKILL
    assert [path.suffix for path in folder.iterdir()] != []
    mine = folder / "notes.unfinished"
    mine.write_text("of somebody else")
    made = erstwhile.backup(file, folder)
    assert {str(path) for path in folder.iterdir()} == {made.path, str(mine)}


def test_two_backups_at_once_do_not_disturb_each_other(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    words = (sys.executable, "-c", _WAITING, str(file), str(folder))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as slow:  # type: ignore[call-overload]
        assert slow.stdout.readline() == "begun\n"
        quick = erstwhile.backup(file, folder, keep=1)
        path = slow.communicate("go on\n" * 100, timeout=60)[0].splitlines()[-1]
    assert texts(path) == texts(quick.path) == texts(file)


def test_locks_are_not_needed(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems have none."""

    def refuse(*_: object) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    assert texts(erstwhile.backup(file, tmp_path / "backups").path) == texts(file)


@pytest.mark.parametrize("keep", [0, -1, True])
def test_a_backup_is_always_kept(file: Path, tmp_path: Path, keep: int) -> None:
    with pytest.raises(InvalidInputError, match=r"^keep (cannot be|is not a number)"):
        erstwhile.backup(file, tmp_path / "backups", keep=keep)


@pytest.mark.parametrize("place", [":memory:", "file:agent.db?mode=ro"])
def test_only_files_and_servers_are_backed_up(place: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="path of a file"):
        erstwhile.backup(place, tmp_path)


def test_a_folder_that_is_a_file_is_told(file: Path, tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("a file")
    with pytest.raises(StorageError, match="check the folder"):
        erstwhile.backup(file, tmp_path / "backups")
