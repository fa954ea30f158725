"""`erstwhile facts`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

ANY = ["The sky is green", "Curl it", "The office moves", "Berlin", "Ana prefers pnpm 100%"]


def _texts(cli: Cli, *words: str) -> list[str]:
    return [fact["text"] for fact in cli("facts", "list", *words).items]


@pytest.fixture
def facts(cli: Cli) -> dict[str, Any]:
    """Return one fact in each state, with different details."""
    said = {
        "pnpm": ("Ana prefers pnpm 100%", "--kind", "preference", "--tag", "Tools"),
        "berlin": ("Berlin", "--kind", "profile", "--key", "city", "--entity", "Ana"),
        "soon": ("The office moves", "--kind", "event", "--valid-from", "in 30 days"),
        "web": ("Curl it", "--origin", "web"),
        "wrong": ("The sky is green",),
        "gone": ("A secret",),
    }
    stored = {name: cli("remember", *words).data for name, words in said.items()}
    cli("facts", "retire", stored["wrong"]["id"], "--ending", "wrong")
    cli("facts", "delete", stored["gone"]["id"])
    return stored


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize(
    ("filters", "texts"),
    [
        ((), ["Berlin", "Ana prefers pnpm 100%"]),
        (("--kind", "preference"), ["Ana prefers pnpm 100%"]),
        (("--kind", "preference", "--kind", "profile"), ["Berlin", "Ana prefers pnpm 100%"]),
        (("--tag", "tools"), ["Ana prefers pnpm 100%"]),
        (("--entity", "ana"), ["Berlin"]),
        (("--key", "City"), ["Berlin"]),
        (("--contains", "PNPM 100%"), ["Ana prefers pnpm 100%"]),
        (("--contains", "%"), ["Ana prefers pnpm 100%"]),
        (("--since", "2 days ago", "--until", "now"), ["Berlin", "Ana prefers pnpm 100%"]),
        (("--until", "2 days ago"), []),
        (("--state", "quarantined"), ["Curl it"]),
        (("--state", "upcoming"), ["The office moves"]),
        (("--state", "retired"), ["The sky is green"]),
        (("--state", "any"), ANY),
        (("--deleted",), ["A secret"]),
        (("--as-of", "in 40 days"), ["The office moves", "Berlin", "Ana prefers pnpm 100%"]),
        (("--known-at", "2 days ago"), []),
    ],
    ids=str,
)
def test_each_filter_narrows(filters: tuple[str, ...], texts: list[str], cli: Cli) -> None:
    assert _texts(cli, *filters) == texts


@pytest.mark.usefixtures("facts")
def test_a_state_is_shown_for_the_requested_time(cli: Cli) -> None:
    listed = cli("facts", "list", "--as-of", "in 40 days", "--kind", "event").items
    assert [fact["state"] for fact in listed] == ["live"]
    assert [fact["state"] for fact in cli("facts", "list", "--state", "any").items] == [
        "retired",
        "quarantined",
        "upcoming",
        "live",
        "live",
    ]


def test_a_shortened_id_works_and_an_ambiguous_one_is_refused(
    facts: dict[str, Any], cli: Cli
) -> None:
    assert cli("facts", "show", facts["pnpm"]["short_id"]).data["id"] == facts["pnpm"]["id"]
    ended = cli("facts", "show", "0")
    assert (ended.code, ended.error["error"]) == (2, "ambiguous_id")


@pytest.fixture
def fact(cli: Cli) -> Any:
    return cli(
        "remember", "Ana prefers npm", "--kind", "preference", "--tag", "tools", "--pin"
    ).data


def test_replace_changes_details_that_are_given(fact: Any, cli: Cli) -> None:
    words = ("--kind", "fact", "--tag", "js", "--no-pin", "--key", "manager", "--value", "pnpm")
    new = cli("facts", "replace", fact["id"], "Ana prefers pnpm", *words).data
    assert (new["kind"], new["tags"], new["pinned"]) == ("fact", ["js"], False)
    assert (new["key"], new["value"]) == ("manager", "pnpm")


@pytest.mark.parametrize("ending", ["superseded", "wrong", "expired"])
def test_retire_stores_the_ending_and_undo_reverts_it(ending: str, fact: Any, cli: Cli) -> None:
    ended = cli("facts", "retire", fact["id"], "--ending", ending, "--reason", "a note").data
    assert (ended["state"], ended["ending"]) == ("retired", ending)
    alive = cli("facts", "undo", fact["id"], "--reason", "not so").data
    assert (alive["state"], alive["valid_to"]) == ("live", None)
    changes = [
        (each["action"], each["reason"]) for each in cli("facts", "history", fact["id"]).items
    ]
    assert changes == [("remember", None), ("retire", "a note"), ("undo", "not so")]


def test_erase_leaves_no_byte(fact: Any, cli: Cli, db: Path) -> None:
    other = cli("remember", "Bob likes tea").data
    receipt = cli("facts", "erase", fact["id"], other["short_id"], "--yes").data
    assert (receipt["ids"], receipt["facts"]) == ([fact["id"], other["id"]], 2)
    assert "prefers npm" not in str(receipt)
    for file in db.parent.glob(f"{db.name}*"):
        assert b"prefers npm" not in file.read_bytes()
    assert cli("audit", "verify").data["ok"] is True


@pytest.mark.parametrize("words", [("purge",), ("erase", "0")], ids=str)
def test_nothing_is_destroyed_without_a_yes(words: tuple[str, ...], fact: Any, cli: Cli) -> None:
    """There is no terminal to ask, so it is refused."""
    ended = cli("facts", *words)
    assert (ended.code, ended.error["error"]) == (4, "refused")
    assert "--yes" in ended.error["remedy"]
    assert cli("facts", "show", fact["id"]).data == fact
