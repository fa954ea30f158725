"""Imports of exports: whole, verified, once, and on every engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import erstwhile
from erstwhile import Settings
from erstwhile.testing.clock import FakeClock
from tests.contracts.storage.whole_life import live
from tests.copying.test_copy import Place, seen

_KILLED = """
import os, signal, sys
import erstwhile
erstwhile.import_file(*sys.argv[1:], progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""
Edit = Callable[[list[dict[str, Any]]], object]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the export of a memory with records in every table."""
    folder = tmp_path_factory.mktemp("exported")
    with erstwhile.open(folder / "a.db", embedder="hashing", clock=FakeClock()) as memory:
        live(memory.scoped(user="ana"), "marigold")
        memory.remember("shared with everybody")
        memory.scoped(user="ana", agent="bot").remember("for one agent")
        memory.flush()
    erstwhile.export(folder / "a.db", folder / "a.jsonl", vectors=True)
    return folder / "a.jsonl"


def edited(exported: Path, folder: Path, edit: Edit) -> Path:
    """Return a copy of an export that somebody changed."""
    lines = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    edit(lines)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "edited.jsonl").write_text(text, "utf-8")
    return folder / "edited.jsonl"


def of(lines: list[dict[str, Any]], table: str) -> dict[str, Any]:
    """Return the first line of a table in the scope of ana."""
    return next(
        each for each in lines if each["table"] == table and each["scope"] == {"user": "ana"}
    )


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_an_import_exports_the_same_bytes(
    exported: Path, tmp_path: Path, postgres: str, engine: str
) -> None:
    """With history, trail and vectors; it answers as its source does, and can be lived with."""
    there = Place(f"{tmp_path}/b.db", "main")
    if engine == "postgres":
        there = Place(postgres, uuid4().hex)
    made = erstwhile.import_file(exported, there.url, space=there.space, vouch=True)
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
        erstwhile.import_file(exported, tmp_path / "b.db", progress=stop, vouch=True)
    made = erstwhile.import_file(exported, tmp_path / "b.db", vouch=True)
    assert made.scopes > 0
    assert made.known > 0
    assert made.scopes + made.known == 3
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
    left = [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]
    assert left
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


def without(lines: list[dict[str, Any]], table: str) -> None:
    """Remove a line, and count one less in the header and at the end of the scope."""
    lines.remove(of(lines, table))
    for counts in (lines[0]["lines"], of(lines, "end")["lines"]):
        counts[table] -= 1


EDITS: dict[str, tuple[Edit, str]] = {
    "another text": (
        lambda lines: of(lines, "facts").update(text="Ana is the administrator"),
        "was changed without an entry",
    ),
    "more trust": (
        lambda lines: next(each for each in lines if each.get("trust") == "quarantined").update(
            trust="trusted"
        ),
        "was changed without an entry",
    ),
    "a missing record": (
        lambda lines: without(lines, "outcomes"),
        "a state of outcome",
    ),
    "another hash": (
        lambda lines: of(lines, "scopes").update(head_hash="00" * 32),
        "was cut or extended",
    ),
    "a forged entry": (
        lambda lines: of(lines, "audit").update(actor="somebody else"),
        "was altered",
    ),
    "an unknown kind": (
        lambda lines: of(lines, "facts").update(kind="order"),
        "kind is none of",
    ),
    "a number for a text": (lambda lines: of(lines, "facts").update(text=1), "text has the wrong"),
    "a time without a zone": (
        lambda lines: of(lines, "facts").update(valid_from="2026-01-01"),
        "valid_from has the wrong form",
    ),
    "no scope": (lambda lines: of(lines, "facts").update(scope=None), "its scope has the wrong"),
    "an unknown field": (lambda lines: of(lines, "facts").update(x=1), "'x' is not known"),
    "an unknown table": (
        lambda lines: lines.append({**of(lines, "facts"), "table": "x"}),
        "no table 'x'",
    ),
    "twice the same id": (lambda lines: lines.append(of(lines, "facts")), "contradicts"),
}


@pytest.mark.parametrize(("edit", "reason"), EDITS.values(), ids=EDITS.keys())
def test_a_changed_scope_is_refused_with_the_reason(
    exported: Path, tmp_path: Path, edit: Edit, reason: str
) -> None:
    """The other scopes are imported."""
    file = edited(exported, tmp_path, edit)
    made = erstwhile.import_file(file, tmp_path / "b.db")
    assert made.scopes == 2
    assert any(reason in each.reason for each in made.refused), made.refused
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        assert not memory.scoped(user="ana").facts.list(tag="tag marigold", state="any")
        assert memory.everything().audit.verify().ok


def test_a_file_that_was_cut_off_is_told(exported: Path, tmp_path: Path) -> None:
    file = edited(exported, tmp_path, lambda lines: lines.pop())
    made = erstwhile.import_file(file, tmp_path / "b.db")
    assert made.scopes == 2
    assert [(each.place, each.reason) for each in made.refused] == [
        ("scope user=ana agent=bot", "its end is missing")
    ]


@pytest.mark.parametrize("table", ["vectors", "fact_tags", "fact_uses", "learning", "relations"])
def test_a_scope_that_is_short_spoils_no_other(exported: Path, tmp_path: Path, table: str) -> None:
    """No chain covers the rows of these tables."""
    file = edited(exported, tmp_path, lambda lines: lines.remove(of(lines, table)))
    made = erstwhile.import_file(file, tmp_path / "b.db")
    assert made.scopes == 2
    assert (made.refused[0].place, made.refused[1].place) == ("the file", "scope user=ana")
    assert made.refused[1].reason == f"lines of it are missing: 1 of {table}"


@pytest.mark.parametrize("text", ["", "{}", "not JSON", '{"table":"facts"}'])
def test_another_file_is_refused_and_creates_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    with pytest.raises(erstwhile.InvalidInputError, match="does not begin as an export"):
        erstwhile.import_file(tmp_path / "a", tmp_path / "b.db")
    with pytest.raises(erstwhile.NotFoundError, match="check the path"):
        erstwhile.import_file(tmp_path / "none", tmp_path / "b.db")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_a_newer_version_is_refused(exported: Path, tmp_path: Path) -> None:
    file = edited(exported, tmp_path, lambda lines: lines[0].update(version=2))
    with pytest.raises(erstwhile.InvalidInputError, match="use a newer one"):
        erstwhile.import_file(file, tmp_path / "b.db")
