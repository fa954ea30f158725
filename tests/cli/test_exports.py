"""`erstwhile export` on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli


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
