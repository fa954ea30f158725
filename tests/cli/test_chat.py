"""`erstwhile chat`: a model with the memory of a user, in the terminal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import pytest

from tests.adapters.llm_server import KEY, chat, failing, streamed, streamed_claude
from tests.adapters.loopback import Answer, LoopbackServer
from tests.cli.conftest import Cli
from tests.cli.shell import AtTerminal

CHAT = ("--user", "ana", "--embedder", "none", "chat", "--llm", "openai:test-model")


NOTHING = chat('{"add": [], "supersede": [], "end": []}')


class ChatServer(LoopbackServer):
    """Answers streams with what is prepared in `answers`, and learning with nothing to learn."""

    def __init__(self) -> None:
        self.answers = deque[Answer]()
        super().__init__(
            lambda handler, body: (self.answers.popleft() if body.get("stream") else NOTHING)(
                handler, body
            )
        )


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer() as server:
        monkeypatch.setenv("ERSTWHILE_LLM_URL", server.url)
        yield server


def sent(server: ChatServer) -> str:
    return repr([seen.body["messages"] for seen in server.seen if seen.body.get("stream")][-1])


def test_an_answer_has_the_memory_and_the_turn_is_stored(server: ChatServer, cli: Cli) -> None:
    cli("--user", "ana", "remember", "Ana is allergic to nuts")
    server.answers.append(streamed("No nuts", ", then.\x1b[31m"))
    ended = cli(*CHAT, typed=b"What about nuts in my cake?\n/why\n/facts\n/quit\nnever read\n")
    assert (ended.code, ended.err) == (0, "")
    assert "No nuts, then.\\x1b[31m" in ended.out
    assert "facts: Ana is allergic to nuts" in ended.out
    assert "Ana is allergic to nuts" in sent(server)
    [talk] = cli("--user", "ana", "conversations", "list").items
    assert (talk["channel"], talk["messages"]) == ("chat", 2)


def test_the_conversation_so_far_is_sent(server: ChatServer, cli: Cli) -> None:
    server.answers += [streamed("Hello!")]
    assert cli(*CHAT, typed=b"I am Ana.\n").code == 0
    server.answers += [streamed("Ana.")]
    assert cli(*CHAT, typed=b"Who am I?\n").code == 0
    assert "I am Ana." in sent(server)


def test_a_failing_model_is_told_and_the_chat_goes_on(server: ChatServer, cli: Cli) -> None:
    server.answers += [failing(401, "who are you?"), streamed("Hello!")]
    ended = cli(*CHAT, typed=b"Hi\nHi again\n")
    assert ended.code == 0
    assert "401" in ended.err
    assert "Hello!" in ended.out


def test_claude_chats_too(server: ChatServer, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_LLM_URL", server.root)
    server.answers.append(streamed_claude("Bon", "jour"))
    ended = cli(*CHAT[:-1], "anthropic:test-model", typed=b"Hi\n")
    assert (ended.code, ended.out.strip()) == (0, "Bonjour")


def test_at_a_terminal_people_are_asked_and_helped(server: ChatServer) -> None:
    server.answers.append(streamed("Hello", " Ana!"))
    with AtTerminal(*CHAT, columns=80) as call:
        call.wait_for("you: ")
        call.type("Hi!\n")
        call.wait_for("Hello Ana!")
        call.type("/why\n")
        call.wait_for("nothing of the memory")
        call.type("/help\n")
        call.wait_for("/quit")
        call.type("/quit\n")
        assert call.finish().code == 0


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("--user", "ana", "chat"), "ERSTWHILE_LLM"),
        (("chat", "--llm", "ollama:x"), "--user NAME"),
        (("--user", "ana", "chat", "--llm", "x"), "ollama:MODEL"),
        (("--user", "ana", "chat", "--llm", "openai:x"), "OPENAI_API_KEY"),
    ],
)
def test_what_is_missing_is_named(
    words: tuple[str, ...], remedy: str, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused = cli(*words)
    assert remedy in refused.error["remedy"]
    assert KEY not in refused.err
