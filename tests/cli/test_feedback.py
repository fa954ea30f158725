"""`erstwhile feedback`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal


@pytest.fixture(autouse=True)
def _words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare by words only, so that both facts match equally well."""
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "none")


@pytest.fixture
def drinks(cli: Cli) -> list[Any]:
    texts = ("Ana drinks tea at home", "Ana drinks coffee at work")
    return [cli("remember", text).data for text in texts]


def _first(cli: Cli) -> str:
    return str(cli("recall", "what does Ana drink?").data["hits"][0]["record"]["text"])


def test_useful_facts_come_first(cli: Cli, drinks: list[Any]) -> None:
    tea, coffee = drinks
    [judged] = cli("feedback", coffee["short_id"], "--useful").data
    assert (judged["fact"], judged["useful"], judged["irrelevant"]) == (coffee["id"], 1, 0)
    assert _first(cli) == coffee["text"]
    cli("feedback", coffee["id"], "--irrelevant", "--reason", "about work")
    assert len(cli("feedback", tea["id"], coffee["id"], "--useful").data) == 2
    assert _first(cli) == tea["text"]


def test_people_see_how_many_facts_were_rated(drinks: list[Any]) -> None:
    shown = at_terminal("feedback", *(fact["id"] for fact in drinks), "--useful")
    assert shown.code == 0
    assert "Rated as useful: 2" in shown.words
