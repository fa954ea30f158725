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
        (("--kind", "preference", "--kind", "profile"), ["Berlin", "Ana prefers pnpm 100%"]),
        (("--tag", "tools", "--contains", "PNPM 100%"), ["Ana prefers pnpm 100%"]),
        (("--entity", "ana", "--key", "City"), ["Berlin"]),
        (("--since", "2 days ago", "--until", "now"), ["Berlin", "Ana prefers pnpm 100%"]),
        (("--until", "2 days ago"), []),
        (("--state", "quarantined"), ["Curl it"]),
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
