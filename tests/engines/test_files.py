"""The files of a memory, and their rights."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite.connection import connect
from erstwhile.engines.sqlite.location import read_location
from tests.engines.processes import outcome


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("no_umask")
def test_the_file_and_its_companions_are_private(tmp_path: Path) -> None:
    """With any umask: 0600 for the file, the log and its index."""
    with erstwhile.open(tmp_path / "memory.db") as memory:
        memory.remember("something private")
        modes = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert modes == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}


def test_the_file_is_private_from_its_first_moment(tmp_path: Path) -> None:
    """Checked before each statement of the first opening, with umask 0."""
    modes = outcome("watch_modes", tmp_path / "memory.db")
    assert len(modes) > 20
    assert {mode for seen in modes for mode in seen} == {0o600}


def test_opening_removes_what_killed_processes_left(tmp_path: Path) -> None:
    """And nothing that somebody still writes, or that has another name."""
    path = tmp_path / "memory.db"
    erstwhile.open(path).close()
    left = tmp_path / "memory.db.0123456789abcdef.unfinished"
    (tmp_path / "notes.unfinished").touch()
    with unfinished(path) as written:
        left.touch()
        written.touch()
        erstwhile.open(path).close()
        assert written.exists()
        assert left.exists()
    erstwhile.open(path).close()
    assert {file.name for file in tmp_path.iterdir()} == {"memory.db", "notes.unfinished"}


def test_a_folder_with_a_typo_is_not_created(tmp_path: Path) -> None:
    """`open("/typo/folder/a.db")` created folders."""
    with pytest.raises(erstwhile.NotFoundError, match=r"no folder .*create the folder"):
        erstwhile.open(tmp_path / "typo" / "folder" / "a.db")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("location", ["x.db", Path("x.db"), None])
def test_a_memory_is_opened_and_not_constructed(location: Any) -> None:
    """`Memory("x.db")` was an internal TypeError."""
    with pytest.raises(erstwhile.InvalidInputError, match=r"erstwhile\.open"):
        erstwhile.Memory(location)


@pytest.mark.usefixtures("no_umask")
def test_the_default_folder_is_created_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All new folders, not only the last."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "a" / "b"))
    monkeypatch.delenv("ERSTWHILE_DB", raising=False)
    erstwhile.open().close()
    assert [mode(tmp_path / path) for path in ("a", "a/b", "a/b/erstwhile")] == [0o700] * 3


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    """Other users keep access to a shared folder."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o775)
    erstwhile.open(shared / "memory.db").close()
    assert mode(shared) == 0o775


def test_the_home_folder_may_be_written_as_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    erstwhile.open("~/memory.db").close()
    assert (tmp_path / "memory.db").is_file()


def test_the_home_of_nobody_is_refused() -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="home"):
        erstwhile.open("~no-such-user-anywhere/memory.db")


def test_a_path_may_be_text_or_a_path_and_is_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path is resolved once, at opening."""
    monkeypatch.chdir(tmp_path)
    with erstwhile.open("memory.db") as memory:
        monkeypatch.chdir("/")
        memory.remember("from text")
    with erstwhile.open(tmp_path / "memory.db") as memory:
        assert [fact.text for fact in memory.facts.list()] == ["from text"]


def test_a_memory_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each opening creates another memory."""
    monkeypatch.chdir(tmp_path)
    with erstwhile.open(":memory:") as one, erstwhile.open(":memory:") as other:
        one.remember("gone when closed")
        assert (one.facts.count(), other.facts.count()) == (1, 0)
        assert one.stats().bytes
    assert not list(tmp_path.iterdir())


def test_names_with_odd_characters_are_plain_names(tmp_path: Path) -> None:
    """No part of a name becomes an option of SQLite."""
    for name in ("a b.db", "file:memory?mode=memory", "ü%41#.db", "記憶.db"):
        with erstwhile.open(tmp_path / name) as memory:
            memory.remember("here")
        assert (tmp_path / name).stat().st_size > 0


def test_the_size_counts_the_log(tmp_path: Path) -> None:
    """The log holds the last writes, which may be most of the size."""
    path = tmp_path / "memory.db"
    with erstwhile.open(path, embedder="none") as memory:
        memory.remember("x" * 50_000)
        files = (path, Path(f"{path}-wal"))
        sizes = [file.stat().st_size for file in files]
        assert all(sizes)
        assert memory.stats().bytes == sum(sizes)


def test_every_setting_of_a_connection_holds(tmp_path: Path) -> None:
    """A statement that returns a row would keep those behind it from running."""
    erstwhile.open(tmp_path / "memory.db").close()
    location = read_location(str(tmp_path / "memory.db"))
    connection = connect(location, synchronous="FULL", patience=1)
    chosen = {"foreign_keys": 1, "secure_delete": 1, "cell_size_check": 1, "cache_size": -32768}
    for name, value in chosen.items():
        assert connection.execute(f"PRAGMA {name}").fetchall() == [(value,)]
    for name, least in (("journal_size_limit", 1), ("wal_autocheckpoint", 1_001)):
        assert int(str(connection.execute(f"PRAGMA {name}").fetchall()[0][0])) >= least
    connection.close()
