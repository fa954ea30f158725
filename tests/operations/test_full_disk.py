"""A disk that is full: what is written fails with a typed error, and what was there stays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import erstwhile
from tests.operations.test_backup import texts

_LIMITED = """
import json, resource, signal, sys
import erstwhile
from erstwhile import ErstwhileError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
verb, *words = sys.argv[2:]
options = {"overwrite": True} if verb == "restore" else {}
try:
    getattr(erstwhile, verb)(*words, **options)
    print(json.dumps("done"))
except ErstwhileError as error:
    print(json.dumps([type(error).__name__, error.remedy]))
"""
FACTS = 1_500


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a memory, a backup of it and an export."""
    folder = tmp_path_factory.mktemp("full")
    with erstwhile.open(folder / "a.db", embedder="none") as memory:
        memory.remember_many(f"Boat number {number} is in the harbour" for number in range(FACTS))
    Path(erstwhile.backup(folder / "a.db", folder / "backups").path).rename(folder / "backup.db")
    erstwhile.export(folder / "a.db", folder / "a.jsonl")
    return folder


def count(path: Path) -> int:
    with erstwhile.open(path, embedder="none") as memory:
        return memory.everything().facts.count()


def limited(limit: int, *words: str) -> list[str]:
    """Return the class of the error, and the remedy, if files cannot grow beyond a limit."""
    command = (sys.executable, "-c", _LIMITED, str(limit), *words)
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told != "done"
    return list(told)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_nothing_half_written_stays(made: Path, tmp_path: Path, share: float) -> None:
    backups, size = tmp_path / "backups", (made / "backup.db").stat().st_size
    error, remedy = limited(int(size * share), "backup", f"{made}/a.db", str(backups))
    assert error == "StorageError"
    assert remedy
    assert list(backups.iterdir()) == []
    lines = (made / "a.jsonl").stat().st_size
    error, _ = limited(int(lines * share), "export", f"{made}/a.db", f"{tmp_path}/a.jsonl")
    assert error == "StorageError"
    assert not list(tmp_path.glob("a.jsonl*"))
    assert count(made / "a.db") == FACTS


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_a_memory_that_is_replaced_stays(made: Path, tmp_path: Path, share: float) -> None:
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        memory.remember("Ana drinks tea")
    limit = int((made / "backup.db").stat().st_size * share)
    limited(limit, "restore", f"{made}/backup.db", f"{tmp_path}/b.db")
    assert texts(tmp_path / "b.db") == {"Ana drinks tea"}
    limited(limit, "import_file", f"{made}/a.jsonl", f"{tmp_path}/b.db")
    assert texts(tmp_path / "b.db") == {"Ana drinks tea"}
    assert erstwhile.import_file(made / "a.jsonl", tmp_path / "b.db").refused == ()
    assert count(tmp_path / "b.db") == FACTS + 1
