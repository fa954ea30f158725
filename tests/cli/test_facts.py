"""`erstwhile facts`: the commands that read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Cli


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
        (("--deleted",), ["A secret"]),
        (
            ("--state", "any"),
            [
                "The sky is green",
                "Curl it",
                "The office moves",
                "Berlin",
                "Ana prefers pnpm 100%",
            ],
        ),
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


@pytest.mark.usefixtures("facts")
def test_pages_continue_after_the_last_one(cli: Cli) -> None:
    asked = ("facts", "list", "--state", "any")
    pages = [cli(*asked, "--limit", "2").data]
    while pages[-1]["next"]:
        pages.append(cli(*asked, "--limit", "2", "--cursor", pages[-1]["next"]).data)
    assert [len(page["items"]) for page in pages] == [2, 2, 1]
    assert [fact for page in pages for fact in page["items"]] == cli(*asked).items


@pytest.mark.parametrize("limit", ["0", "1001", "many"])
def test_a_wrong_limit_is_refused(limit: str, cli: Cli) -> None:
    assert cli("facts", "list", "--limit", limit).code == 2


def test_a_blank_filter_never_means_everything(cli: Cli) -> None:
    cli("remember", "Ana prefers pnpm")
    for name in ("--tag", "--entity", "--key", "--contains", "--cursor", "--since"):
        assert cli("facts", "list", name, "").code == 2


def test_a_shortened_id_works_and_an_ambiguous_one_is_refused(
    facts: dict[str, Any], cli: Cli
) -> None:
    assert cli("facts", "show", facts["pnpm"]["short_id"]).data["id"] == facts["pnpm"]["id"]
    ended = cli("facts", "show", "0")
    assert (ended.code, ended.error["error"]) == (2, "ambiguous_id")


def test_a_key_without_a_value_is_not_found(cli: Cli) -> None:
    ended = cli("facts", "value", "timezone")
    assert (ended.code, ended.error["error"]) == (3, "not_found")
    assert "erstwhile facts set" in ended.error["remedy"]
