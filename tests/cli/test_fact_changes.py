"""`erstwhile facts`: the commands that change and destroy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli


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


def test_retire_stores_the_ending_and_undo_reverts_it(fact: Any, cli: Cli) -> None:
    ended = cli("facts", "retire", fact["id"], "--ending", "expired", "--reason", "a note").data
    assert (ended["state"], ended["ending"]) == ("retired", "expired")
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
