"""Imports of exports that were changed, cut off, or never were exports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.operations.results import Refusal

Edit = Callable[[list[dict[str, Any]]], object]


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


def without(lines: list[dict[str, Any]], table: str) -> None:
    """Remove a line, and count one less in the header and at the end of the scope."""
    lines.remove(of(lines, table))
    for counts in (lines[0]["lines"], of(lines, "end")["lines"]):
        counts[table] -= 1


def update(table: str, **values: Any) -> Edit:
    return lambda lines: of(lines, table).update(values)


EDITS: dict[str, tuple[Edit, str]] = {
    "another text": (update("facts", text="Ana is the admin"), "was changed without an entry"),
    "more trust": (
        lambda lines: next(each for each in lines if each.get("trust") == "quarantined").update(
            trust="trusted"
        ),
        "was changed without an entry",
    ),
    "a missing record": (lambda lines: without(lines, "outcomes"), "a state of outcome"),
    "another hash": (update("scopes", head_hash="00" * 32), "was cut or extended"),
    "a forged entry": (update("audit", actor="somebody else"), "was altered"),
    "an unknown kind": (update("facts", kind="order"), "kind is none of"),
    "a number for a text": (update("facts", text=1), "text has the wrong"),
    "a time without a zone": (update("facts", valid_from="2026-01-01"), "valid_from has the wrong"),
    "no scope": (update("facts", scope=None), "its scope has the wrong"),
    "an unknown field": (update("facts", x=1), "'x' is not known"),
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


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("scopes", "digest_key", "00" * 32),
        ("facts", "fingerprint", "00" * 16),
        ("fact_tags", "tag", "another one"),
        ("entities", "name", "another one"),
        ("relations", "predicate", "another one"),
        ("conversations", "messages", 9),
        ("fact_uses", "fact", "another one"),
        ("vectors", "vector", "00" * 256),
    ],
)
def test_a_change_that_no_audit_entry_covers_is_noticed(
    exported: Path, tmp_path: Path, table: str, column: str, value: object
) -> None:
    file = edited(exported, tmp_path, update(table, **{column: value}))
    made = erstwhile.import_file(file, tmp_path / "b.db", trust_permissions=True)
    assert made.scopes == 2
    assert [each.place for each in made.refused] == ["scope user=ana"]
    assert "digest does not fit" in made.refused[0].reason


def test_a_change_of_the_model_is_noticed_by_every_scope(exported: Path, tmp_path: Path) -> None:
    file = edited(exported, tmp_path, lambda lines: lines[1].update(usual=0.5))
    made = erstwhile.import_file(file, tmp_path / "b.db")
    assert (made.scopes, len(made.refused)) == (0, 3)


def test_a_line_that_is_not_utf8_is_refused_not_mended(exported: Path, tmp_path: Path) -> None:
    lines = exported.read_bytes().split(b"\n")
    place = next(n for n, line in enumerate(lines) if line.startswith(b'{"table":"fact_uses"'))
    lines[place] = lines[place].replace(b"-", b"\xa0", 1)
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    made = erstwhile.import_file(tmp_path / "a.jsonl", tmp_path / "b.db")
    assert made.scopes == 2
    assert made.refused[0] == Refusal(place=f"line {place + 1}", reason="it is not a text in UTF-8")


def test_a_file_that_was_cut_off_is_reported(exported: Path, tmp_path: Path) -> None:
    file = edited(exported, tmp_path, lambda lines: lines.pop())
    made = erstwhile.import_file(file, tmp_path / "b.db")
    assert made.scopes == 2
    place, reason = "scope user=ana agent=bot", "its end is missing"
    assert made.refused == (Refusal(place=place, reason=reason),)


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
    with pytest.raises(erstwhile.InvalidInputError, match="is not an export"):
        erstwhile.import_file(tmp_path / "a", tmp_path / "b.db")
    with pytest.raises(erstwhile.NotFoundError, match="check the path"):
        erstwhile.import_file(tmp_path / "none", tmp_path / "b.db")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_a_newer_version_is_refused(exported: Path, tmp_path: Path) -> None:
    file = edited(exported, tmp_path, lambda lines: lines[0].update(version=2))
    with pytest.raises(erstwhile.InvalidInputError, match="use a newer one"):
        erstwhile.import_file(file, tmp_path / "b.db")
