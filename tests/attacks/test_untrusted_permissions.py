"""Attacks by files: what a file says that people decided must not allow anything by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

import erstwhile
from tests.attacks.test_decisions import call, say
from tests.attacks.test_people import answered
from tests.cli.shell import run

Enter = Callable[[Path, Path, bool], int]
"""A function that brings a file into a memory, trusted or not; returns the count."""


def imported(source: Path, target: Path, trust: bool) -> int:
    file = source.with_suffix(".jsonl")
    if not file.exists():
        erstwhile.export(source, file)
    return erstwhile.import_file(file, target, trust_permissions=trust).untrusted_permissions


def copied(source: Path, target: Path, trust: bool) -> int:
    return erstwhile.copy(source, target, trust_permissions=trust).untrusted_permissions


def restored(source: Path, target: Path, trust: bool) -> int:
    made = erstwhile.backup(source, source.parent / uuid4().hex)
    return erstwhile.restore(made.path, target, trust_permissions=trust).untrusted_permissions


ENTRIES: dict[str, Enter] = {"import": imported, "copy": copied, "restore": restored}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Return a memory in which an agent wrote that a person allowed and denied something."""
    place = tmp_path / "written.db"
    with erstwhile.open(place, embedder="none") as memory:
        say(memory, "allow", "npm publish")
        say(memory, "allow", "make", covers="fields")
        say(memory, "deny", "dropdb ledger")
        say(memory, "observe", "ls", decided_by="agent")
    return place


def suggestions(place: Path) -> dict[str, str]:
    with erstwhile.open(place, embedder="none") as memory:
        advice = {
            command: memory.decisions.advise(call(command))
            for command in ("npm publish", "make", "dropdb ledger")
        }
    return {command: str(each.suggestion) for command, each in advice.items()}


@pytest.mark.parametrize("way", ENTRIES)
def test_a_file_allows_nothing_unless_it_is_trusted(
    written: Path, tmp_path: Path, way: str
) -> None:
    assert ENTRIES[way](written, tmp_path / "plain.db", False) == 2
    asked = {"npm publish": "ask", "make": "ask", "dropdb ledger": "deny"}
    assert suggestions(tmp_path / "plain.db") == asked
    assert ENTRIES[way](written, tmp_path / "trusted.db", True) == 0
    allowed = {"npm publish": "allow", "make": "allow", "dropdb ledger": "deny"}
    assert suggestions(tmp_path / "trusted.db") == allowed


@pytest.mark.parametrize("way", ENTRIES)
def test_a_detour_does_not_launder_a_permission(written: Path, tmp_path: Path, way: str) -> None:
    """An untrusted decision stays untrusted when its memory is copied with trust."""
    copied(written, tmp_path / "a.db", False)
    assert ENTRIES[way](tmp_path / "a.db", tmp_path / "b.db", True) == 2
    assert suggestions(tmp_path / "b.db")["npm publish"] == "ask"


def test_a_second_copy_allows_no_more_than_the_first(written: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert copied(written, tmp_path / "b.db", False) == 2
        assert suggestions(tmp_path / "b.db")["npm publish"] == "ask"
    assert erstwhile.copy(written, tmp_path / "b.db", trust_permissions=True).written == 3
    assert suggestions(tmp_path / "b.db")["npm publish"] == "allow"


def test_a_recovered_file_allows_nothing(written: Path, tmp_path: Path) -> None:
    done = erstwhile.repair(written, into=tmp_path / "b.db")
    assert done.untrusted_permissions == 2
    assert suggestions(tmp_path / "b.db")["npm publish"] == "ask"


@pytest.mark.parametrize("lasts", ["once", "always"])
@pytest.mark.parametrize("choice", ["allow", "deny"])
def test_a_file_lifts_no_denial(tmp_path: Path, choice: str, lasts: str) -> None:
    """Not even by a later word on exactly this, in a scope that the person's call sees."""
    with erstwhile.open(tmp_path / "mine.db", embedder="none") as memory:
        say(memory.scoped(project="shop"), "deny", "npm publish")
    with erstwhile.open(tmp_path / "theirs.db", embedder="none") as memory:
        say(memory, choice, "npm publish", lasts=lasts)
    assert imported(tmp_path / "theirs.db", tmp_path / "mine.db", False) == (choice == "allow")
    with erstwhile.open(tmp_path / "mine.db", embedder="none") as memory:
        advice = memory.scoped(project="shop").decisions.advise(call("npm publish"))
        assert advice.suggestion == "deny"


def test_trust_is_audited_and_changes_nothing_else(written: Path, tmp_path: Path) -> None:
    imported(written, tmp_path / "b.db", False)
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        [marked] = memory.decisions.list(choice="allow", tool="Bash", limit=1)
        assert not marked.trusted
        assert memory.decisions.trust(marked.id, reason="I remember it").trusted
        [entry] = memory.audit.list(action="decision.trust")
        assert (entry.subject, entry.reason) == (marked.id, "I remember it")
        assert memory.audit.verify().ok
    assert sorted(suggestions(tmp_path / "b.db").values()) == ["allow", "ask", "deny"]


def test_a_trusted_import_exports_the_same_bytes(written: Path, tmp_path: Path) -> None:
    imported(written, tmp_path / "b.db", True)
    erstwhile.export(tmp_path / "b.db", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == written.with_suffix(".jsonl").read_bytes()


COMMANDS = {
    "import": ("--db", "{target}", "import", "{file}"),
    "copy": ("copy", "{source}", "{target}"),
    "restore": ("--db", "{target}", "restore", "{backup}"),
}


def command(way: str, written: Path, target: Path) -> list[str]:
    file = written.with_suffix(".jsonl")
    if not file.exists():
        erstwhile.export(written, file)
    backup = erstwhile.backup(written, written.parent / uuid4().hex).path
    places = {"source": written, "file": file, "target": target, "backup": backup}
    return [word.format(**places) for word in COMMANDS[way]]


@pytest.mark.parametrize("way", COMMANDS)
def test_an_agent_with_a_shell_cannot_trust_a_file(written: Path, tmp_path: Path, way: str) -> None:
    words = command(way, written, tmp_path / "b.db")
    assert run(*words, "--trust-permissions", typed=b"y\n").code != 0
    ended = run(*words)
    assert ended.code == 0
    assert json.loads(ended.out)["untrusted_permissions"] == 2
    assert suggestions(tmp_path / "b.db")["npm publish"] == "ask"
    assert run("--db", str(tmp_path / "b.db"), "decisions", "trust", typed=b"y\n").code != 0
    assert suggestions(tmp_path / "b.db")["npm publish"] == "ask"


def test_a_person_at_a_terminal_trusts_permissions(written: Path, tmp_path: Path) -> None:
    words = command("import", written, tmp_path / "a.db")
    assert answered(*words, "--trust-permissions", question="Do you trust")
    assert run(*command("import", written, tmp_path / "b.db")).code == 0
    later = ("--db", str(tmp_path / "b.db"), "decisions", "trust")
    assert answered(*later, question="trust 3 decisions")
    for name in ("a.db", "b.db"):
        assert suggestions(tmp_path / name)["npm publish"] == "allow"


def test_a_denial_is_not_overwritten_by_an_older_backup(tmp_path: Path) -> None:
    """Neither by a copy that goes on where the memory ends."""
    place = tmp_path / "memory.db"
    with erstwhile.open(place, embedder="none") as memory:
        say(memory, "observe", "ls", decided_by="agent")
    old = erstwhile.backup(place, tmp_path / "backups").path
    with erstwhile.open(place, embedder="none") as memory:
        denial = say(memory, "deny", "npm publish")
    assert run("--db", str(place), "restore", str(old), "--overwrite", typed=b"y\n").code != 0
    erstwhile.copy(place, tmp_path / "later.db")
    with erstwhile.open(tmp_path / "later.db", embedder="none") as memory:
        memory.decisions.delete(denial.id)
    assert run("copy", str(tmp_path / "later.db"), str(place), typed=b"y\n").code != 0
    assert suggestions(place)["npm publish"] == "deny"
    assert answered(
        "--db", str(place), "restore", str(old), "--overwrite", question="People decided something"
    )
    assert suggestions(place)["npm publish"] == "ask"


def test_a_damaged_memory_is_restored_without_a_person(written: Path, tmp_path: Path) -> None:
    backup = erstwhile.backup(written, tmp_path / "backups").path
    written.write_bytes(b"damaged" * 5_000)
    assert run("--db", str(written), "restore", str(backup), "--overwrite").code == 0
    assert suggestions(written)["dropdb ledger"] == "deny"
