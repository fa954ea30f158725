"""`erstwhile export` and `erstwhile import` on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal


def test_export_all_or_one_person(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Ana drinks tea", "--user", "ana")
    cli("remember", "Bob drinks milk", "--user", "bob")
    assert cli("export", f"{tmp_path}/all.jsonl").data["lines"]["facts"] == 2
    assert cli("export", f"{tmp_path}/ana.jsonl", "--user", "ana").data["scopes"] == 1
    cli("export", f"{tmp_path}/ana.md", "--user", "ana", "--format", "markdown")
    text = (tmp_path / "ana.md").read_text("utf-8")
    assert ("Ana drinks tea" in text, "Bob" in text) == (True, False)
    again = cli("export", f"{tmp_path}/ana.md")
    assert (again.code, "new file" in again.err) == (4, True)


def test_import_an_export(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Ana drinks tea", "--user", "ana")
    cli("export", f"{tmp_path}/all.jsonl")
    new = ("--db", f"{tmp_path}/new.db")
    planned = cli(*new, "import", f"{tmp_path}/all.jsonl", "--dry-run").data["items"]
    assert {row["what"]: row["count"] for row in planned} == {"scopes": 1, "audit": 1, "facts": 1}
    assert not (tmp_path / "new.db").exists()
    assert cli(*new, "import", f"{tmp_path}/all.jsonl").data["lines"]["facts"] == 1
    facts = cli(*new, "--user", "ana", "facts", "list").data["items"]
    assert [fact["text"] for fact in facts] == ["Ana drinks tea"]
    (tmp_path / "all.jsonl").write_text("nothing of ours")
    assert cli(*new, "import", f"{tmp_path}/all.jsonl").code == 2


def test_import_from_another_program(cli: Cli) -> None:
    file = Path(__file__).parents[1] / "integrations" / "data" / "ways_in" / "mcp-memory.jsonl"
    words = ("--user", "ana", "import", str(file), "--from", "mcp-memory")
    assert [row["count"] for row in cli(*words, "--dry-run").data["items"]] == [5]
    assert cli("--user", "ana", "facts", "list").data["items"] == []
    assert cli(*words).data["facts"] == 5
    again = cli(*words).data
    assert (again["facts"], again["known"]) == (0, 5)
    facts = cli("--user", "ana", "facts", "list", "--tag", "mcp-memory").data["items"]
    assert {fact["origin"] for fact in facts} == {"imported"}
    shown = at_terminal(*words, "--dry-run").words
    assert "here already" in shown
