"""Whose memory a command shows, and what it says if that is empty."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.conftest import Cli

ANA_HAS = (
    ("remember", "Ana likes tea", "--tag", "drink", "--entity", "Ana"),
    ("conversations", "add", "user", "I like tea"),
    ("blocks", "add", "notes", "tea"),
    ("tasks", "add", "Buy tea"),
    ("lessons", "add", "shop", "Order tea early"),
    (
        "decisions",
        "record",
        "Bash",
        '{"command": "ls"}',
        "allow",
        "--goal",
        "look",
        "--by",
        "agent",
    ),
)
HINT = "1 in other scopes: add --user NAME, --project NAME or --everything"


@pytest.mark.parametrize(
    "command",
    [
        "facts list",
        "facts list --tag drink",
        "facts count",
        "recall tea",
        "context tea",
        "stats",
        "users",
        "tags",
        "entities list",
        "conversations list",
        "conversations search tea --limit 1",
        "blocks list",
        "tasks list",
        "lessons list",
        "decisions list",
    ],
)
def test_a_forgotten_user_is_told_with_the_number_of_facts_elsewhere(
    cli: Cli, command: str
) -> None:
    """None of them said that only shared memory is shown."""
    for each in ANA_HAS:
        assert cli("--user", "ana", *each).code == 0
    table = ("--format", "table")
    told = cli(*table, *command.split())
    assert told.code == 0
    assert f"Searched only shared memory; {HINT}" in " ".join(told.err.split())
    assert told.err.count("!") == 1
    elsewhere = " ".join(cli(*table, "--user", "bob", *command.split()).err.split())
    assert f"Searched only user=bob and shared memory; {HINT}" in elsewhere
    assert not cli(*table, "--user", "ana", *command.split()).err


def test_what_other_scopes_have_is_told_although_some_memory_is_shared(cli: Cli) -> None:
    cli("--user", "ana", "remember", "Ana likes tea")
    cli("remember", "The office has wifi")
    assert HINT in " ".join(cli("--format", "table", "recall", "tea").err.split())
    assert HINT in " ".join(cli("--format", "table", "stats").err.split())
    assert not cli("--format", "table", "recall", "wifi").err
    assert not cli("--format", "table", "recall", "zebra").err


@pytest.mark.parametrize("command", ["facts value city", "facts show {id}", "facts find Porto"])
def test_one_record_of_another_scope_is_told_too(cli: Cli, command: str) -> None:
    fact = cli("--user", "ana", "facts", "set", "city", "Porto").data
    told = cli("--format", "table", *command.format(**fact).split())
    assert told.code == 3
    assert HINT in " ".join(told.err.split())
    assert HINT not in cli("--format", "table", "facts", "value", "country").err


def test_hits_of_several_scopes_tell_whose_they_are(cli: Cli) -> None:
    cli("--user", "ana", "remember", "Ana likes tea")
    assert "user=ana" in cli("--format", "table", "--everything", "recall", "tea").out
    assert "user=ana" not in cli("--format", "table", "--user", "ana", "recall", "tea").out
    cli("remember", "The office has tea")
    mixed = cli("--format", "table", "--user", "ana", "recall", "tea").out
    assert "user=ana" in mixed
    assert "shared" in mixed


def test_the_words_of_a_hit_are_shown_as_they_are_written(cli: Cli) -> None:
    """A table said "words: citi"."""
    cli("facts", "set", "city", "Porto")
    cli("remember", "Ana has allergies and a studio")
    assert "words: city" in cli("--format", "table", "recall", "city").out
    assert "words: allergies" in cli("--format", "table", "recall", "allergy").out


def test_what_to_do_about_a_contradiction_can_be_copied(cli: Cli) -> None:
    """The command named neither the user nor the file, so that it found nothing."""
    cli("--user", "ana", "remember", "The user lives in Lisbon")
    told = cli("--format", "table", "--user", "ana", "remember", "The user lives in Porto").err
    command = " ".join(told.split()).partition("If that is over: ")[2].partition(". Else")[0]
    assert "--user ana" in command
    assert cli(*shlex.split(command)[1:]).data["ending"] == "superseded"


def test_an_unknown_command_suggests_the_name_of_the_verb(cli: Cli) -> None:
    """`facts gett` suggested forget."""
    assert "Did you mean 'get'" in cli("facts", "gett", "x").error["message"]
    assert "\n  get" not in cli("facts", "--help").out


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
    assert "`erstwhile facts value`" in cli("facts", "get", "city").error["remedy"]
    assert cli("facts", "history", "town").error["message"] == "the key 'town' has no value here"
    assert cli("facts", "history", "City").data["items"][0]["fact"]["id"] == fact["id"]
    assert cli("facts", "update", fact["id"], "--tag", "home").data["tags"] == ["home"]
    assert cli("facts", "forget", "--key", "city").data["state"] == "deleted"
