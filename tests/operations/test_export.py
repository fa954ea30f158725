"""Exports: JSON lines with everything, one person's data, and Markdown."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

import erstwhile
from erstwhile.core.ports import Session
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.operations import tables
from erstwhile.operations.export_format import SCHEMA, formats
from erstwhile.operations.tables import DERIVED, EXPORTED, exported_tables
from erstwhile.testing.clock import FakeClock
from tests.contracts.storage.whole_life import live

OF_THE_ENGINE = ("sqlite_", "passage_terms", "migrations", "maintenance", "requests")
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
    exported = set(EXPORTED)
    assert exported | {*DERIVED, "embedders", "vectors"} == stored
    assert set(formats()) == exported | {"embedders", "vectors", "links"}
    for table in exported_tables(engine).values():
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
    assert not [error for each in (header, *rest) for error in validator.iter_errors(each)]
    assert header["lines"] == dict(made.lines)
    assert {each["table"] for each in rest} == {*formats(), "end"} - {"links"}
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
    told = {each["scope"].get("user") for each in rest if each["table"] != "links"}
    assert told == {"ana", "anita"}
    assert made.scopes == 2
    assert "peony" in text
    assert "marigold lives by the sea" in text
    assert "thistle" not in text
    assert "shared with everybody" not in text
    with pytest.raises(erstwhile.InvalidInputError, match="every user"):
        erstwhile.export(store, tmp_path / "none.jsonl", user=None)


def rows_of(store: Path) -> dict[str, Counter[str]]:
    """Return the texts and ids of all rows, without the numbers that only this store gives."""
    engine = SqliteEngine(store)

    def read(session: Session) -> dict[str, Counter[str]]:
        found = {}
        for table in exported_tables(engine).values():
            names = [name for name in table.columns if name not in NUMBERS]
            sql = f"SELECT {', '.join(names)} FROM {table.name}"  # noqa: S608
            rows = [dict(zip(names, row, strict=True)) for row in session.rows(sql, {})]
            ids = (each.get("id") or each.get("fact") or each.get("entity") for each in rows)
            found[table.name] = Counter(str(each) for each in ids)
        return found

    try:
        return engine.read(read)
    finally:
        engine.close()


def test_what_an_erasure_takes_an_export_gives(store: Path, tmp_path: Path) -> None:
    """Of every table: whatever row disappears when the person is erased was exported before."""
    with erstwhile.open(store, embedder="hashing") as memory:
        memory.scoped(agent="bot").identities.link("ana@mail", "ana")
    erstwhile.export(store, tmp_path / "ana.jsonl", user="ana")
    exported: dict[str, Counter[str]] = {}
    for each in lines(tmp_path / "ana.jsonl")[1:]:
        table = "identities" if each["table"] == "links" else each["table"]
        id = each.get("id") or each.get("fact") or each.get("entity")
        exported.setdefault(table, Counter())[str(id)] += 1
    before = rows_of(store)
    with erstwhile.open(store, embedder="hashing") as memory:
        memory.erase_user("ana")
    gone = {table: rows - rows_of(store)[table] for table, rows in before.items()}
    kept = {"scopes", "audit"}  # their rows stay, without content
    assert {table for table, rows in gone.items() if not rows} == kept
    assert len(gone["identities"]) == 2
    missing = {table: rows - exported.get(table, Counter()) for table, rows in gone.items()}
    assert {table: rows for table, rows in missing.items() if rows} == {}


def test_links_of_names_come_with_the_person(store: Path, tmp_path: Path) -> None:
    """They lie in a scope of others, so an import makes them anew, once."""
    erstwhile.export(store, tmp_path / "ana.jsonl", user="ana")
    for links in ({"links": 1}, {}):
        made = erstwhile.import_file(tmp_path / "ana.jsonl", tmp_path / "b.db")
        assert {k: n for k, n in made.lines.items() if k == "links"} == links
        assert made.refused == ()
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        assert memory.identities.resolve("anita") == "ana"
        assert memory.everything().audit.verify().ok
        memory.identities.unlink("anita")
        memory.identities.link("anita", "somebody else")
    made = erstwhile.import_file(tmp_path / "ana.jsonl", tmp_path / "b.db")
    assert ["linked to 'somebody else'" in each.reason for each in made.refused] == [True]


def test_an_erased_link_does_not_come_back(store: Path, tmp_path: Path) -> None:
    """Neither with its records, which stay away, too, nor in the scope of others."""
    erstwhile.export(store, tmp_path / "ana.jsonl", user="ana")
    with erstwhile.open(store, embedder="hashing") as memory:
        memory.erase_user("ana")
    made = erstwhile.import_file(tmp_path / "ana.jsonl", store)
    assert dict(made.lines) == {}
    assert [each.reason for each in made.refused] == ["it was erased here"]
    with erstwhile.open(store, embedder="hashing") as memory:
        assert memory.identities.resolve("anita") == "anita"
        assert not [fact for fact in memory.scoped(user="ana").facts.list() if fact.scope.user]


def test_a_changed_link_is_refused(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "ana.jsonl"
    erstwhile.export(store, file, user="ana")
    changed = file.read_text("utf-8").replace('"alias":"anita"', '"alias":"mallory"')
    file.write_text(changed, "utf-8")
    made = erstwhile.import_file(file, tmp_path / "b.db")
    assert [each.place for each in made.refused] == ["the links of names"]
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        assert memory.identities.resolve("mallory") == "mallory"


def test_erased_and_secret_texts_are_gone_and_deleted_ones_are_marked(tmp_path: Path) -> None:
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        memory.conversations.add("user", "my key is sk-ant-api03-" + "aB3" * 31 + "AA")
        memory.facts.erase(memory.remember("a destroyed heron").id)
        memory.facts.delete(memory.remember("a hidden egret").id)
    erstwhile.export(tmp_path / "a.db", tmp_path / "all.jsonl")
    erstwhile.export(tmp_path / "a.db", tmp_path / "all.md", format="markdown")
    text = (tmp_path / "all.jsonl").read_text("utf-8")
    assert not [word for word in ("heron", "aB3aB3") if word in text]
    [fact] = (each for each in lines(tmp_path / "all.jsonl") if each["table"] == "facts")
    assert fact["text"] == "a hidden egret"
    assert fact["deleted_at"] is not None
    assert "egret" not in (tmp_path / "all.md").read_text("utf-8")


def test_markdown_is_for_people(store: Path, tmp_path: Path) -> None:
    made = erstwhile.export(store, tmp_path / "ana.md", user="ana", format="markdown")
    text = (tmp_path / "ana.md").read_text("utf-8")
    assert "## user=ana\n\n- marigold lives in the hills (fact; key home/marigold; since " in text
    assert "### Block notes/marigold (version" in text
    assert "lives by the sea" not in text, "it was replaced"
    assert "says the web" not in text, "it is held"
    assert made.lines["blocks"] == 1


NASTY = (
    "# not a heading", "- not a list", "1. not a list", "1) not one", "+ nor this", "--- a rule",
    "***loud***", "_quiet_ and __more__", "`code`", "a <b>tag</b> & an &amp; entity", "| a | b |",
    "![picture](http://evil.example/x.png)", "[click](javascript:alert(1))", "<http://evil.example>",
    "~~gone~~", "back\\slash", "two\nlines\r\nor three", "$x_1$", "https://evil.example/x",
    "[^1]: a note", "=== under", "> quoted", "- [ ] task", "&lt;script&gt;", "1 + 1 = 2", "Ana's *",
)  # fmt: skip


def test_markdown_shows_texts_as_they_are(tmp_path: Path) -> None:
    """Whatever somebody said: no heading, link, picture or HTML comes out of it."""
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        ana = memory.scoped(user="*ana*<i>")
        for number, text in enumerate(NASTY):
            ana.remember(text, tags=[" ".join(text.split())], key=f"_{number}_")
        ana.blocks.add("notes/*x*", "```\n# text\n````", description="<b>about</b>")
    erstwhile.export(tmp_path / "a.db", tmp_path / "a.md", format="markdown")
    shown = MarkdownIt("gfm-like", {"linkify": False}).parse((tmp_path / "a.md").read_text("utf-8"))
    kinds = Counter(token.type for token in shown)
    assert kinds["list_item_open"] == len(NASTY)
    assert (kinds["heading_open"], kinds["fence"], kinds["html_block"]) == (3, 1, 0)
    inner = [token.children or [] for token in shown if token.type == "inline"]
    assert {each.type for part in inner for each in part} <= {"text", "text_special"}
    texts = ["".join(each.content for each in part) for part in inner]
    for text in NASTY:
        plain = " ".join(text.split())
        assert any(each.startswith(f"{plain} (fact; key _") for each in texts), plain
    assert "user=*ana*<i>" in texts
    assert "<b>about</b>" in texts


def test_a_large_export_needs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_EXPORT_PAGE", 5)
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
