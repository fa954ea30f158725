"""`erstwhile erase-user` and `erase-scope`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import AtTerminal, at_terminal


def test_a_person_is_previewed_and_then_erased(cli: Cli) -> None:
    cli("--user", "ana", "remember", "Ana likes tea")
    cli("--user", "ana", "--project", "shop", "tasks", "add", "call Ana")
    cli("--user", "bob", "remember", "Bob likes tea")
    seen = cli("erase-user", "ana", "--preview").data
    assert (seen["collections"], seen["receipt"]) == ({"facts": 1, "tasks": 1}, None)
    assert [scope["user"] for scope in seen["scopes"]] == ["ana", "ana"]
    refused = cli("erase-user", "ana")
    assert refused.code == 4
    assert "--yes" in refused.err
    assert cli("erase-user", "ana", "--yes").data["receipt"]["facts"] == 1
    assert cli("erase-user", "ana", "--preview").data["collections"] == {}
    assert [fact["text"] for fact in cli("--everything", "facts", "list").items] == [
        "Bob likes tea"
    ]


def test_a_scope_is_given_by_the_global_options(cli: Cli) -> None:
    cli("--user", "ana", "--project", "shop", "remember", "here")
    cli("--user", "ana", "remember", "there")
    assert cli("--project", "shop", "erase-scope", "--yes").data["collections"] == {"facts": 1}
    assert cli("--user", "ana", "erase-scope", "--preview").data["collections"] == {"facts": 1}
    assert cli("erase-scope", "--yes").code == 2
    assert cli("--user", "bob", "erase-user", "ana", "--yes").code != 0


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_at_a_terminal_sees_what_goes_and_is_asked(cli: Cli, answer: str) -> None:
    cli("--user", "ana", "--project", "shop", "remember", "Ana likes tea")
    assert "user=ana project=shop" in at_terminal("erase-user", "ana", "--preview").words
    with AtTerminal("erase-user", "ana") as call:
        call.wait_for("[y/N]")
        call.type(f"{answer}\n")
        ended = call.finish()
    assert "user=ana project=shop" in ended.words
    assert "1 facts" in ended.words
    assert ended.code == (0 if answer == "y" else 4)
    left = cli("erase-user", "ana", "--preview").data["collections"]
    assert left == ({} if answer == "y" else {"facts": 1})
