"""Whose memory a command shows, and what it says if that is empty."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

HINT = "1 in other scopes: add --user NAME, --project NAME or --everything"


@pytest.mark.parametrize(
    "command", ["facts list", "recall tea", "context tea", "stats", "users", "facts list --tag x"]
)
def test_a_forgotten_user_is_told_with_the_number_of_facts_elsewhere(
    cli: Cli, command: str
) -> None:
    """None of them said that only shared memory is shown."""
    cli("--user", "ana", "remember", "Ana likes tea")
    told = cli("--format", "table", *command.split())
    assert told.code == 0
    assert f"no facts for shared; {HINT}" in " ".join(told.err.split())
    assert told.err.count("!") == 1
    assert not cli("--format", "table", "--user", "ana", *command.split()[:2]).err


def test_a_list_of_everything_shows_the_scopes(cli: Cli) -> None:
    cli("--user", "ana", "remember", "Ana likes tea")
    shown = cli("--format", "table", "--everything", "facts", "list").out
    assert "scope" in shown
    assert "user=ana" in shown
    assert "scope" not in cli("--format", "table", "--user", "ana", "facts", "list").out
    assert cli("--everything", "users").data == {"ana": 1}
    assert cli("--everything", "scopes").data["items"][0]["facts"] == 1


def test_stats_and_doctor_name_the_store(cli: Cli) -> None:
    cli("remember", "Ana likes tea")
    location = cli("stats").data["location"]
    assert location.endswith(".db")
    assert cli("doctor", "--no-models").data["location"] == location


def test_facts_are_found_by_key_and_by_the_name_of_the_verb(cli: Cli) -> None:
    """`facts history city` was "not an id", and `facts get` suggested forget."""
    fact = cli("facts", "set", "city", "Porto").data
    assert cli("facts", "get", fact["id"]).data == fact
    assert cli("facts", "history", "City").data["items"][0]["fact"]["id"] == fact["id"]
    assert cli("facts", "update", fact["id"], "--tag", "home").data["tags"] == ["home"]
    assert cli("facts", "forget", "--key", "city").data["state"] == "deleted"
