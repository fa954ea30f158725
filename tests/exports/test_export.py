"""Exports: JSON lines with everything, one person's data, and Markdown."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import erstwhile
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.exports import tables
from erstwhile.exports.format import SCHEMA, formats
from erstwhile.exports.tables import DERIVED, TABLES
from erstwhile.testing.clock import FakeClock
from tests.contracts.storage.whole_life import live

OF_THE_ENGINE = ("sqlite_", "passage_terms", "migrations", "maintenance")
NUMBERS = {"space", "scope", "number"}
"""Columns that only this store gives; a line has the scope by its names."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a memory with records in every table, of two people and of everybody."""
    place = tmp_path / "a.db"
    with erstwhile.open(place, embedder="hashing", clock=FakeClock()) as memory:
        for user, word in (("ana", "marigold"), ("bob", "thistle")):
            live(memory.scoped(user=user), word)
        memory.identities.link("anita", "ana")
        memory.scoped(user="anita").remember("a peony, said under another name")
        shared = memory.remember("shared with everybody")
        memory.scoped(user="ana").feedback(shared.id, "useful")
        memory.flush()
    return place


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_no_table_and_no_column_is_forgotten() -> None:
    """A new table is exported, or named as derived."""
    engine = SqliteEngine(":memory:")

    def names(sql: str, table: str = "") -> set[str]:
        rows = engine.read(lambda session: session.rows(sql, {"table": table}))
        return {name for (name,) in rows}

    found = names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> :table")
    stored = {name for name in found if not name.startswith(OF_THE_ENGINE)}
    exported = {table.name for table in TABLES}
    assert exported | DERIVED | {"embedders", "vectors"} == stored
    assert set(formats()) == exported | {"embedders", "vectors"}
    for table in TABLES:
        columns = names("SELECT name FROM pragma_table_info(:table)", table.name)
        own = {"id", *(name for name in columns if name.startswith("scope_"))}
        local = NUMBERS | own if table.name == "scopes" else NUMBERS
        assert set(table.columns) == columns - local, table.name
    engine.close()


def test_every_line_has_the_documented_form(store: Path, tmp_path: Path) -> None:
    made = erstwhile.export(store, tmp_path / "all.jsonl", vectors=True)
    validator = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    Draft202012Validator.check_schema(validator.schema)
    header, *rest = lines(tmp_path / "all.jsonl")
    assert [
        error.message for each in (header, *rest) for error in validator.iter_errors(each)
    ] == []
    assert header["lines"] == dict(made.lines)
    assert {each["table"] for each in rest} == set(formats())
    assert made.bytes == (tmp_path / "all.jsonl").stat().st_size
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600


def test_one_person_gets_everything_of_theirs_and_nothing_of_others(
    store: Path, tmp_path: Path
) -> None:
    """Under all their names, as an erasure of the person would find it."""
    made = erstwhile.export(store, tmp_path / "ana.jsonl", user="ana")
    text = (tmp_path / "ana.jsonl").read_text("utf-8")
    header, *rest = lines(tmp_path / "ana.jsonl")
    assert header["selection"] == {"user": ["ana", "anita"]}
    assert {each["scope"]["user"] for each in rest} == {"ana", "anita"}
    assert made.scopes == 2
    assert "peony" in text
    assert "marigold lives by the sea" in text
    assert "thistle" not in text
    assert "shared with everybody" not in text
    with pytest.raises(erstwhile.InvalidInputError, match="every user"):
        erstwhile.export(store, tmp_path / "none.jsonl", user=None)


def test_erased_records_are_gone_and_deleted_ones_are_marked(tmp_path: Path) -> None:
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        memory.facts.erase(memory.remember("a destroyed heron").id)
        memory.facts.delete(memory.remember("a hidden egret").id)
    erstwhile.export(tmp_path / "a.db", tmp_path / "all.jsonl")
    erstwhile.export(tmp_path / "a.db", tmp_path / "all.md", format="markdown")
    assert "heron" not in (tmp_path / "all.jsonl").read_text("utf-8")
    [fact] = (each for each in lines(tmp_path / "all.jsonl") if each["table"] == "facts")
    assert fact["text"] == "a hidden egret"
    assert fact["deleted_at"] is not None
    assert "egret" not in (tmp_path / "all.md").read_text("utf-8")


def test_a_secret_stays_masked(tmp_path: Path) -> None:
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        memory.conversations.add("user", "my key is sk-ant-api03-" + "aB3" * 31 + "AA")
    erstwhile.export(tmp_path / "a.db", tmp_path / "all.jsonl")
    assert "aB3aB3" not in (tmp_path / "all.jsonl").read_text("utf-8")


def test_markdown_is_for_people(store: Path, tmp_path: Path) -> None:
    made = erstwhile.export(store, tmp_path / "ana.md", user="ana", format="markdown")
    text = (tmp_path / "ana.md").read_text("utf-8")
    assert "## user=ana\n\n- marigold lives in the hills (fact; key home/marigold; since " in text
    assert "### Block notes/marigold (version" in text
    assert "lives by the sea" not in text, "it was replaced"
    assert "says the web" not in text, "it is held"
    assert made.lines["blocks"] == 1


def test_a_large_export_needs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_SIZE", 5)
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        memory.blocks.add("notes", "0", limit_tokens=100_000)
        for number in range(40):
            memory.blocks.update("notes", f"{number} " * 50_000)
    tracemalloc.start()
    made = erstwhile.export(tmp_path / "a.db", tmp_path / "all.jsonl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert made.bytes > 4_000_000
    assert peak < made.bytes / 2


def test_a_file_that_is_there_is_kept(store: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    with pytest.raises(erstwhile.ConflictError, match="new file"):
        erstwhile.export(store, tmp_path / "there")
    with pytest.raises(erstwhile.StorageError, match="cannot be written"):
        erstwhile.export(store, tmp_path / "no folder" / "all.jsonl")
    assert (tmp_path / "there").read_text() == "mine"
