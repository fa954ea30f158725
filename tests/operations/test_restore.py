"""Restoring a backup to a file: checked first, and nothing that is there gets lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import erstwhile
from erstwhile.core import folders
from erstwhile.core.errors import (
    BusyError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
)
from tests.operations.test_backup import texts

_WRITER = """
import sys, time
import erstwhile
used = erstwhile.Settings(db=sys.argv[1], embedder="none", busy_timeout=0.1)
end = time.monotonic() + 20
while time.monotonic() < end:
    try:
        with erstwhile.open(settings=used) as memory:
            memory.remember("Written meanwhile")
        print("stored", flush=True)
        sys.exit()
    except erstwhile.BusyError:
        print("waits", flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with erstwhile.open(tmp_path / "agent.db") as memory:
        memory.remember("Ana drinks tea")
    return tmp_path / "agent.db"


@pytest.fixture
def backup(file: Path, tmp_path: Path) -> Path:
    return Path(erstwhile.backup(file, tmp_path / "backups").path)


def change(file: Path) -> None:
    with erstwhile.open(file) as memory:
        memory.remember("Ana drinks coffee")


def test_a_backup_is_restored_to_a_new_file(backup: Path, tmp_path: Path) -> None:
    restored = erstwhile.restore(backup, tmp_path / "folder" / "new.db")
    assert restored.saved is None
    assert texts(restored.target) == {"Ana drinks tea"}
    assert Path(restored.target).stat().st_mode & 0o777 == 0o600


def test_a_memory_is_overwritten_only_on_request_and_saved_first(file: Path, backup: Path) -> None:
    change(file)
    before = file.read_bytes()
    with pytest.raises(ConflictError, match="saved first"):
        erstwhile.restore(backup, file)
    assert file.read_bytes() == before
    restored = erstwhile.restore(backup, file, overwrite=True)
    assert texts(file) == {"Ana drinks tea"}
    assert restored.saved is not None
    assert texts(restored.saved) == {"Ana drinks tea", "Ana drinks coffee"}
    with erstwhile.open(file) as memory:
        memory.remember("Ana drinks water")
        assert memory.audit.verify().ok


def test_a_memory_in_use_is_not_replaced(file: Path, backup: Path) -> None:
    with erstwhile.open(file) as memory:
        memory.remember("Ana drinks coffee")
        with pytest.raises(BusyError, match="stop it"):
            erstwhile.restore(backup, file, overwrite=True)
        memory.remember("Ana drinks water")
    assert texts(file) == {"Ana drinks tea", "Ana drinks coffee", "Ana drinks water"}


def test_a_damaged_memory_is_set_aside(file: Path, backup: Path) -> None:
    damaged = b"not a database" * 500
    file.write_bytes(damaged)
    restored = erstwhile.restore(backup, file, overwrite=True)
    assert texts(file) == {"Ana drinks tea"}
    assert restored.saved is not None
    assert Path(restored.saved).read_bytes() == damaged


@pytest.mark.parametrize("place", [4096 * 2, 4096 * 7, None])
def test_a_damaged_or_changed_backup_replaces_nothing(
    file: Path, backup: Path, place: int | None
) -> None:
    """The audit trail shows that a text was changed."""
    content, before = backup.read_bytes(), file.read_bytes()
    if place is None:
        backup.write_bytes(content.replace(b"Ana drinks tea", b"Ana drinks gin"))
    else:
        backup.write_bytes(content[:place] + b"\xff" * 4096 + content[place + 4096 :])
    with pytest.raises(CorruptError, match=r"another backup|restore a copy"):
        erstwhile.restore(backup, file, overwrite=True)
    assert file.read_bytes() == before


def test_a_missing_backup_replaces_nothing(file: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no backup"):
        erstwhile.restore(tmp_path / "typo.db", file, overwrite=True)
    assert texts(file) == {"Ana drinks tea"}


def test_a_backup_is_not_restored_onto_itself(backup: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(InvalidInputError, match="onto itself"):
        erstwhile.restore(backup, backup, overwrite=True)
    assert backup.read_bytes() == before


def test_a_write_between_saving_and_replacing_is_not_lost(
    file: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program opens the file, writes and closes it as soon as it can."""
    rename, writers = Path.rename, list[subprocess.Popen[str]]()

    def then_written(self: Path, target: Path) -> Path:
        renamed = rename(self, target)
        command = [sys.executable, "-c", _WRITER, str(file)]
        writers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert writers[0].stdout is not None
        assert writers[0].stdout.readline() == "waits\n"
        return renamed

    monkeypatch.setattr(Path, "rename", then_written)
    erstwhile.restore(backup, file, overwrite=True)
    assert writers[0].communicate(timeout=30)[0].endswith("stored\n")
    assert texts(file) == {"Ana drinks tea", "Written meanwhile"}


def test_a_memory_in_the_place_of_a_damaged_one_is_not_replaced(
    file: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(b"not a database" * 500)
    rename = Path.rename

    def then_made(self: Path, target: Path) -> Path:
        renamed = rename(self, target)
        change(file)
        return renamed

    monkeypatch.setattr(Path, "rename", then_made)
    with pytest.raises(BusyError, match="stop it"):
        erstwhile.restore(backup, file, overwrite=True)
    assert texts(file) == {"Ana drinks coffee"}


def test_a_memory_that_is_made_meanwhile_is_not_replaced(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "new.db"

    def make(_: Path) -> None:
        monkeypatch.undo()
        change(new)

    monkeypatch.setattr(folders, "make_private", make)
    with pytest.raises(ConflictError, match="saved first"):
        erstwhile.restore(backup, new)
    assert texts(new) == {"Ana drinks coffee"}
