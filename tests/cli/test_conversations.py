"""`erstwhile conversations`, `erstwhile sessions` and `erstwhile identities`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import Ended, at_terminal

ANA = ("--user", "ana")


@pytest.fixture
def said(cli: Cli) -> Any:
    """Add an exchange and return it."""
    return cli(
        *ANA, "conversations", "exchange", "Which database do we run?", "Postgres 17",
        "--channel", "chat", "--metadata", '{"model": "m"}', "--key", "1",
    ).data  # fmt: skip


def run(cli: Cli, *words: str) -> Any:
    return cli(*ANA, "conversations", *words).data


def test_an_exchange_is_kept_once(cli: Cli, said: Any) -> None:
    assert said["user"]["role"] == "user"
    assert said["assistant"]["metadata"] == {"model": "m"}
    words = ("exchange", "Which database do we run?", "Postgres 17", "--key", "1")
    assert run(cli, *words) == said
    other = cli(*ANA, "conversations", "exchange", "Which database?", "Postgres 17", "--key", "1")
    assert (other.code, other.error["error"]) == (4, "conflict")


def test_messages_come_from_arguments_and_standard_input(cli: Cli, said: Any) -> None:
    one = said["user"]["conversation"]
    cli(*ANA, "conversations", "add", "tool", "rows: 3", "--conversation", one)
    from_pipe = cli(*ANA, "conversations", "add", "system", "-", typed="très\nlong\n".encode())
    assert from_pipe.data["content"] == "très\nlong"
    assert from_pipe.data["conversation"] != one
    assert cli(*ANA, "conversations", "add", "user", "-", typed=b"\xff").code == 2
    page = run(cli, "messages", one, "--limit", "2")
    assert [each["content"] for each in page["items"]] == ["Postgres 17", "rows: 3"]
    before = run(cli, "messages", one, "--limit", "2", "--cursor", page["next"])
    assert [each["content"] for each in before["items"]] == ["Which database do we run?"]
    assert run(cli, "message", said["user"]["short_id"]) == said["user"]


def test_every_change_of_a_conversation_works(cli: Cli, said: Any) -> None:
    one = run(cli, "current", "--channel", "chat")
    assert one["id"] == said["user"]["conversation"]
    summed_up = run(cli, "compact", one["id"], "They asked.", "--through", said["user"]["id"])
    assert (summed_up["first"], summed_up["last"]) == (1, 1)
    shown = run(cli, "show", one["short_id"])
    assert [each["summary"] for each in shown["compactions"]] == ["They asked."]
    assert [each["content"] for each in shown["messages"]] == ["Postgres 17"]
    branch = run(cli, "branch", said["user"]["id"])
    assert (branch["parent"], branch["messages"]) == (one["id"], 1)
    undone = run(cli, "undo", one["id"], "--count", "2", "--reason", "a slip")
    assert [each["content"] for each in undone["items"]] == [
        "Which database do we run?", "Postgres 17",
    ]  # fmt: skip
    closed = run(cli, "close", one["id"], "--summary", "Nothing came of it.")
    assert (closed["status"], closed["summary"]) == ("closed", "Nothing came of it.")
    assert [each["id"] for each in run(cli, "summaries")["items"]] == [one["id"]]
    assert run(cli, "reopen", one["id"])["status"] == "active"
    run(cli, "delete", one["id"])
    assert [each["id"] for each in run(cli, "list", "--deleted")["items"]] == [one["id"]]
    assert run(cli, "restore", one["id"])["status"] == "active"
    assert run(cli, "start", "--metadata", '{"topic": "tea"}')["metadata"] == {"topic": "tea"}
    stats = run(cli, "stats")
    assert (stats["active"], stats["messages"]) == (3, 1)


def test_sessions(cli: Cli) -> None:
    shop = (*ANA, "--project", "shop", "sessions")
    assert cli(*shop, "get").data == {"session_id": None}
    assert cli(*shop, "set", "s1").data["channel"] == "default"
    cli(*shop, "set", "s2", "--channel", "chat")
    assert cli(*shop, "get", "--channel", "chat").data == {"session_id": "s2"}
    assert cli(*ANA, "sessions", "get").data == {"session_id": None}
    assert [each["session_id"] for each in cli(*shop, "list").items] == ["s2", "s1"]
    assert cli(*shop, "clear", "--channel", "chat").data == {"cleared": 1}
    assert cli(*shop, "erase", "--yes").data["sessions"] == 1


def test_resolve_finds_a_person_by_any_name(cli: Cli) -> None:
    cli("identities", "link", "chat:42", "ana", "--reason", "she said so")
    cli("--user", "chat:42", "--resolve", "remember", "Ana likes tea")
    assert [fact["text"] for fact in cli(*ANA, "facts", "list").items] == ["Ana likes tea"]
    assert cli("--user", "chat:42", "facts", "list").items == []
    assert cli("identities", "resolve", "chat:42").data == {"person": "ana"}
    assert cli("identities", "aliases", "ana").data == {"person": "ana", "aliases": ["chat:42"]}
    taken = cli("identities", "link", "chat:42", "bob")
    assert (taken.code, taken.error["error"]) == (4, "conflict")
    assert [each["alias"] for each in cli("identities", "list").items] == ["chat:42"]
    assert cli("identities", "unlink", "chat:42").data == {"unlinked": "chat:42"}
    cli("identities", "link", "chat:42", "ana")
    assert cli("identities", "erase", "chat:42", "--yes").data["identities"] == 1
    assert cli("--resolve", "stats").code == 2
    assert cli("--everything", "--resolve", "stats").code == 2


def test_people_see_tables(cli: Cli, said: Any) -> None:
    run(
        cli, "compact", said["user"]["conversation"], "They asked.", "--through", said["user"]["id"]
    )
    run(cli, "add", "tool", "\x1b[31mred", "--conversation", said["user"]["conversation"])
    listed = _words("conversations", "list")
    assert listed.splitlines()[0].split() == ["id", "when", "status", "channel", "messages"]
    shown = _words("conversations", "show", said["user"]["conversation"])
    assert "1–1 in short: They asked." in shown
    assert "assistant: Postgres 17" in shown
    assert "tool: \\x1b[31mred" in shown
    assert "Which database do we run?" in _words("conversations", "search", "database")
    assert '"model": "m"' in _words("conversations", "message", said["assistant"]["id"])
    assert "1 assistant, 1 tool, 1 user" in _words("conversations", "stats")
    closed = _words("conversations", "close", said["user"]["conversation"], "--summary", "Over.")
    assert closed.startswith("✓ Closed")
    assert closed.endswith("conversation in chat: Over.\n")


def _words(*words: str) -> str:
    ended: Ended = at_terminal(*ANA, *words)
    assert ended.code == 0, ended.words
    return ended.words
