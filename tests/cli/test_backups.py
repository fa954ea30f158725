"""`erstwhile backup`, `restore`, `export` and `import`."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import COMMAND, at_terminal


def test_backup_and_restore(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Ana drinks tea")
    made = cli("backup", str(tmp_path / "backups"), "--keep", "1").data
    cli("remember", "Ana drinks coffee")
    refused = cli("restore", made["path"])
    assert (refused.code, "saved first" in refused.err) == (4, True)
    assert cli("restore", made["path"], "--overwrite").data["saved"]
    assert [fact["text"] for fact in cli("facts", "list").data["items"]] == ["Ana drinks tea"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_goes_on_until_a_signal(
    cli: Cli, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    cli("remember", "Ana drinks tea")
    words = ("backup", str(tmp_path / "backups"), "--every", "1s", "--keep", "1")
    with subprocess.Popen((*COMMAND, *words), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        made = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.send_signal(number)
        assert process.wait(60) == code
    assert made[1]["removed"] == [made[0]["path"]]


def test_a_failure_is_shown_and_the_next_backup_is_tried(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Ana drinks tea")
    folder = tmp_path / "backups"
    folder.write_text("in the way")
    words = ("backup", str(folder), "--every", "1s")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen((*COMMAND, *words), **pipes) as process:  # type: ignore[call-overload]
        assert json.loads(process.stderr.readline())["error"] == "storage"
        folder.unlink()
        assert json.loads(process.stdout.readline())["rows"]["facts"] == 1
        process.terminate()
        assert process.wait(60) == 0


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
    again = cli(*new, "import", f"{tmp_path}/all.jsonl")
    assert (again.code, again.data["known"]) == (0, 1)
    (tmp_path / "all.jsonl").write_text("nothing of ours")
    assert cli(*new, "import", f"{tmp_path}/all.jsonl").code == 2


def test_import_from_another_program(cli: Cli) -> None:
    file = Path(__file__).parents[1] / "integrations" / "data" / "importers" / "mcp-memory.jsonl"
    words = ("--user", "ana", "import", str(file), "--from", "mcp-memory")
    assert [row["count"] for row in cli(*words, "--dry-run").data["items"]] == [5]
    assert cli("--user", "ana", "facts", "list").data["items"] == []
    assert cli(*words).data["facts"] == 5
    again = cli(*words).data
    assert (again["facts"], again["known"]) == (0, 5)
    facts = cli("--user", "ana", "facts", "list", "--tag", "mcp-memory").data["items"]
    assert {fact["origin"] for fact in facts} == {"imported"}
    shown = at_terminal(*words, "--dry-run").words
    assert "already stored" in shown


@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_what_is_refused_is_told_and_changes_the_exit_code(
    cli: Cli, tmp_path: Path, dry_run: list[str]
) -> None:
    cli("remember", "Ana drinks tea", "--user", "ana")
    cli("export", f"{tmp_path}/all.jsonl")
    file = tmp_path / "all.jsonl"
    file.write_text(file.read_text("utf-8").replace("drinks tea", "drinks gin"), "utf-8")
    words = ("--db", f"{tmp_path}/new.db", "import", str(file), *dry_run)
    refused = cli(*words)
    assert refused.code == 4
    assert "was changed without an entry" in refused.out
    shown = at_terminal(*words)
    assert "was changed without an entry" in " ".join(shown.words.split())


@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_a_file_of_others_is_not_imported(cli: Cli, tmp_path: Path, dry_run: list[str]) -> None:
    told = [{"id": "1", "memory": "milk", "user_id": who} for who in ("bob", "eve")]
    (tmp_path / "mem0.json").write_text(json.dumps(told))
    words = ("--user", "ana", "import", f"{tmp_path}/mem0.json", "--from", "mem0", *dry_run)
    refused = cli(*words)
    assert refused.code == 4
    assert (refused.error["error"], "2 people" in refused.error["message"]) == ("scope", True)
    assert "import it without a user" in refused.error["remedy"]
    assert cli("--user", "ana", "facts", "list").data["items"] == []


def test_a_dry_run_says_what_comes_as_the_import_does(cli: Cli) -> None:
    """Conversations by their dates and titles, and what does not come with its number."""
    file = Path(__file__).parents[1] / "integrations" / "data" / "importers" / "chatgpt.json"
    words = ("--user", "ana", "import", str(file), "--from", "chatgpt")
    planned = cli(*words, "--dry-run").data["items"]
    left = [row for row in planned if row["what"] == "left out"]
    told = {row["example"]: row["count"] for row in left}
    assert (told["another one replaced it"], told["it has no messages"]) == (2, 1)
    rows = {row["what"]: row for row in planned if row not in left}
    assert {what: row["count"] for what, row in rows.items()} == {
        "facts": 1, "conversations": 2, "messages": 8,
    }  # fmt: skip
    assert rows["conversations"]["example"].startswith("2026-01-05 ")
    assert "facts: 1, conversations: 2, messages: 8" in at_terminal(*words).words


@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_an_administrators_view_has_no_scope_for_conversations(
    cli: Cli, dry_run: list[str]
) -> None:
    file = Path(__file__).parents[1] / "integrations" / "data" / "importers" / "chatgpt.json"
    refused = cli("--everything", "import", str(file), "--from", "conversations", *dry_run)
    assert (refused.error["error"], "--user" in refused.error["remedy"]) == ("scope", True)


def test_namespaces_of_langgraph_say_who_the_user_is(cli: Cli) -> None:
    file = Path(__file__).parents[1] / "integrations" / "data" / "importers" / "langgraph.json"
    words = ("import", str(file), "--from", "langgraph")
    refused = cli(*words)
    assert (refused.code, "--namespace" in refused.error["remedy"]) == (4, True)
    assert cli(*words, "--namespace", "memories/{user}").data["facts"] == 3
    assert cli("--user", "bob", "facts", "list").data["items"][0]["text"] == "Bob commutes by tram"
    wrong = cli("import", str(file), "--from", "conversations", "--namespace", "*")
    assert "--from langgraph" in wrong.error["remedy"]


@pytest.mark.parametrize("source", ["chatgpt", "conversations"])
def test_learning_without_a_user_is_refused(cli: Cli, source: str) -> None:
    file = Path(__file__).parents[1] / "integrations" / "data" / "importers" / "chatgpt.json"
    refused = cli("import", str(file), "--from", source, "--learn")
    assert (refused.code, "--user" in refused.error["remedy"]) == (2, True)
    assert cli("conversations", "list").data["items"] == []
    assert cli("facts", "list").data["items"] == []
