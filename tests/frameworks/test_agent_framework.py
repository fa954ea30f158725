"""Microsoft Agent Framework: an agent with our providers, its own history as an oracle."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("agent_framework")

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    Content,
    InMemoryHistoryProvider,
    Message,
)

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.agent_framework import ErstwhileHistoryProvider, ErstwhileProvider
from tests.frameworks.contract import Contract


class Scripted(BaseChatClient[Any]):
    """A model that gives one answer, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = list[str]()

    async def _inner_get_response(self, *, messages: Any, **_: Any) -> ChatResponse:
        self.sent.append("\n".join(each.text for each in messages))
        return ChatResponse(messages=[Message("assistant", ["Use pnpm."])], response_id="1")


async def _run(prompt: str, *providers: Any) -> str:
    client = Scripted()
    agent = Agent(client=client, context_providers=providers)
    await agent.run(prompt, session=AgentSession(session_id="1"))
    return client.sent[0]


class TestProvider(Contract):
    def write(self, memory: Memory, text: str) -> None:
        asyncio.run(_run(text, ErstwhileProvider(memory)))

    def read(self, memory: Memory, query: str) -> str:
        return asyncio.run(_run(query, ErstwhileProvider(memory, learn=False)))


class TestHistory(Contract):
    fenced = False
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        said = [Message("user", [text], message_id="1")]
        asyncio.run(ErstwhileHistoryProvider(memory).save_messages("1", said))

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        history = asyncio.run(ErstwhileHistoryProvider(memory).get_messages("1"))
        return "\n".join(each.text for each in history)


def test_a_session_continues(ana: Memory) -> None:
    asyncio.run(_run("My shop runs on port 8080.", ErstwhileHistoryProvider(ana)))
    sent = asyncio.run(_run("And now?", ErstwhileHistoryProvider(ana)))
    assert sent == "My shop runs on port 8080.\nUse pnpm.\nAnd now?"


def test_memory_is_not_a_part_of_the_history(ana: Memory) -> None:
    ana.remember("Ana installs packages with pnpm")
    providers = ErstwhileHistoryProvider(ana, learn=False), ErstwhileProvider(ana)

    assert "with pnpm" in asyncio.run(_run("How do I install packages?", *providers))

    history = asyncio.run(providers[0].get_messages("1"))
    assert [each.text for each in history] == ["How do I install packages?", "Use pnpm."]


CALL = Content.from_function_call("c1", "f", arguments={"x": 1})
RESULT = Content.from_function_result("c1", result="42")
MESSAGES = [
    Message("user", ["hi"]),
    Message("user", ["hi"], message_id="u1"),
    Message("assistant", ["Hello!"], message_id="a1"),
    Message("assistant", [CALL]),
    Message("tool", [RESULT]),
    Message("assistant", ["Done."], author_name="Bo", additional_properties={"x": [1]}),
    Message("user", ["long " * 12_000]),
]


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_history_answers_as_the_one_of_the_framework(start: int) -> None:
    """Compare 200 random sequences of new messages, repeats and whole transcripts."""
    for seed in range(start, start + 50):
        with erstwhile.open(":memory:", embedder="none") as memory:
            asyncio.run(_compare(Random(seed), memory.scoped(user="ana"), seed))


async def _compare(random: Random, memory: Memory, seed: int) -> None:
    ours, oracle = ErstwhileHistoryProvider(memory, learn=False), InMemoryHistoryProvider()
    state: dict[str, Any] = {}
    for _ in range(6):
        new = random.choices(MESSAGES, k=random.randint(0, 3))
        known = await oracle.get_messages("1", state=state)
        given = random.choice([new, new, [*known, *new], [*known[-2:], *new]])
        await ours.save_messages("1", given, state={})
        await oracle.save_messages("1", given, state=state)
        wanted = await oracle.get_messages("1", state=state)
        found = await ours.get_messages("1")
        assert [each.to_dict() for each in found] == [each.to_dict() for each in wanted], seed
