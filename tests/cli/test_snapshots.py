"""`erstwhile snapshots`."""

from __future__ import annotations

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal


def test_a_memory_returns_to_a_snapshot(cli: Cli) -> None:
    cli("facts", "set", "city", "Paris")
    words = ("snapshots", "create", "start", "--description", "before the move")
    assert cli(*words).data["description"] == "before the move"
    cli("facts", "set", "city", "Rome")
    [pair] = cli("snapshots", "diff", "start").data["changed"]
    assert (pair["before"]["text"], pair["after"]["text"]) == ("Paris", "Rome")
    assert "Paris → Rome" in cli("snapshots", "diff", "start", "--markdown").out
    done = cli("snapshots", "restore", "start", "--reason", "a mistake").data
    assert cli("facts", "value", "city").data["value"] == "Paris"
    cli("snapshots", "restore", done["before"]["name"])
    assert cli("facts", "value", "city").data["value"] == "Rome"
    assert len(cli("snapshots", "list").items) == 3
    assert cli("snapshots", "show", "start").data["name"] == "start"


def test_a_snapshot_is_deleted_and_erased(cli: Cli) -> None:
    cli("snapshots", "create", "start", "--at", "5 minutes ago")
    assert cli("snapshots", "delete", "start").data["deleted_at"]
    assert len(cli("snapshots", "list", "--deleted").items) == 1
    assert cli("snapshots", "diff", "start").code == 3
    assert cli("snapshots", "erase", "start").code == 4
    assert len(cli("snapshots", "erase", "start", "--yes").data["ids"]) == 1
    assert cli("snapshots", "purge", "--yes").data["ids"] == []


def test_a_purged_history_is_refused_unless_a_part_is_enough(cli: Cli) -> None:
    fact = cli("remember", "Ana drinks tea").data
    cli("snapshots", "create", "start")
    cli("facts", "erase", fact["id"], "--yes")
    assert cli("snapshots", "restore", "start").code == 4
    assert cli("snapshots", "restore", "start", "--partial").data["revived"] == []


def test_people_read_a_table(cli: Cli) -> None:
    cli("remember", "Ana drinks tea", "--key", "drink")
    cli("blocks", "add", "notes", "one")
    cli("snapshots", "create", "start")
    assert "Nothing changed" in at_terminal("snapshots", "diff", "start").words
    cli("facts", "set", "drink", "coffee")
    cli("remember", "Ana owns a dog")
    cli("blocks", "append", "notes", "two")
    seen = at_terminal("snapshots", "diff", "start").words
    assert "Ana drinks tea → coffee" in seen
    assert "learned" in seen
    assert "version 1 → 2" in seen
    assert "start" in at_terminal("snapshots", "list").words
    assert "start (20" in at_terminal("snapshots", "show", "start").words
    assert "to undo it" in at_terminal("snapshots", "restore", "start").words
