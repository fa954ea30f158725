"""Imports of exports: whole, verified, once, and on every engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import erstwhile
from erstwhile import Settings
from erstwhile.testing.clock import FakeClock
from tests.operations.test_copy import Place, seen

_KILLED = """
import os, signal, sys
import erstwhile
erstwhile.import_file(*sys.argv[1:], progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_an_import_exports_the_same_bytes(
    exported: Path, tmp_path: Path, postgres: str, engine: str
) -> None:
    """With history, trail and vectors; it answers as its source does, and can be lived with."""
    there = Place.new(engine, tmp_path, postgres)
    made = erstwhile.import_file(exported, there.url, space=there.space, trust_permissions=True)
    assert (made.refused, made.known, made.scopes) == ((), 0, 3)
    erstwhile.export(there.url, tmp_path / "b.jsonl", space=there.space, vectors=True)
    assert (tmp_path / "b.jsonl").read_bytes() == exported.read_bytes()
    again = erstwhile.import_file(exported, there.url, space=there.space)
    assert (again.scopes, again.known, dict(again.lines), again.refused) == (0, 3, {}, ())
    with Place(str(exported.with_name("a.db")), "main").open() as source, there.open() as memory:
        assert seen(memory) == seen(source)
        memory.scoped(user="ana").remember("life goes on")
        assert memory.everything().audit.verify().ok


def test_one_person_moves_with_a_sealed_trail(tmp_path: Path) -> None:
    """Also what they said about shared facts, which stay where they are."""
    clock, keep = FakeClock(), Settings(retention="audit 5 days")
    with erstwhile.open(tmp_path / "a.db", embedder="none", clock=clock, settings=keep) as memory:
        ana = memory.scoped(user="ana")
        ana.feedback(memory.remember("shared with everybody").id, "useful")
        ana.context("what is shared with everybody?")
        for _ in range(8):
            ana.lessons.add("bees", "smoke them first")
            clock.advance(hours=1)
        clock.advance(days=20)
        ana.remember("later")
        memory.everything().maintain()
        sealed = memory.everything().audit.list(action="audit.seal")
        assert [entry.scope.user for entry in sealed] == ["ana"]
    erstwhile.export(tmp_path / "a.db", tmp_path / "a.jsonl", user="ana")
    assert erstwhile.import_file(tmp_path / "a.jsonl", tmp_path / "b.db").refused == ()
    erstwhile.export(tmp_path / "b.db", tmp_path / "b.jsonl", user="ana")
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_a_scope_moves_into_a_memory_that_is_in_use(exported: Path, tmp_path: Path) -> None:
    """Numbers of scopes and of rows differ there, and no later change gets an earlier time."""
    late = FakeClock()
    late.advance(days=30)
    place = tmp_path / "b.db"
    with erstwhile.open(place, embedder="none", clock=late) as memory:
        mine = [memory.scoped(user=f"user {n}").remember("mine") for n in range(3)]
    made = erstwhile.import_file(exported, place)
    assert made.refused == ()
    with erstwhile.open(place, embedder="none", clock=late) as memory:
        new = memory.scoped(user="user 0").remember("later")
        assert new.recorded_at > max(fact.recorded_at for fact in mine)
        assert memory.everything().audit.verify().ok
        assert memory.scoped(user="ana").recall("where does marigold live?")[0].fact.scope.user
    assert erstwhile.doctor(place, models=False, settings=Settings(embedder="none")).ok


def test_erased_records_do_not_come_back(exported: Path, tmp_path: Path) -> None:
    erstwhile.import_file(exported, tmp_path / "b.db")
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        memory.erase_user("ana")
    again = erstwhile.import_file(exported, tmp_path / "b.db")
    assert (again.scopes, again.known) == (0, 3)
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        assert not memory.scoped(user="ana").facts.list(tag="tag marigold")


def test_an_interrupted_import_goes_on(exported: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        erstwhile.import_file(exported, tmp_path / "b.db", progress=stop, trust_permissions=True)
    made = erstwhile.import_file(exported, tmp_path / "b.db", trust_permissions=True)
    assert 0 < made.scopes < made.scopes + made.known == 3
    erstwhile.export(tmp_path / "b.db", tmp_path / "b.jsonl", vectors=True)
    assert (tmp_path / "b.jsonl").read_bytes() == exported.read_bytes()


def test_the_next_import_removes_what_a_killed_one_left(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of an export are as confidential as the memory."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", f"{tmp_path}/scratch")
    monkeypatch.setattr("tempfile.tempdir", None)
    words = (sys.executable, "-c", _KILLED, str(exported), f"{tmp_path}/b.db")
    assert subprocess.run(words, check=False, timeout=60).returncode == -signal.SIGKILL
    assert [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "scratch").iterdir()} == {0}
    erstwhile.import_file(exported, tmp_path / "b.db")
    assert not [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]


def test_a_scratch_folder_of_somebody_else_is_not_used(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (scratch / f"erstwhile-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    watched = (tmp_path / "elsewhere").stat().st_mtime_ns
    erstwhile.import_file(exported, tmp_path / "b.db")
    assert (tmp_path / "elsewhere").stat().st_mtime_ns == watched


def test_a_preview_changes_nothing(exported: Path, tmp_path: Path) -> None:
    made = erstwhile.import_file(exported, tmp_path / "b.db", preview=True)
    assert made.scopes == 3
    assert list(tmp_path.iterdir()) == []
