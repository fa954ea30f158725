"""Haystack: an agent with a scripted model and our hooks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("haystack")

from haystack.components.agents import Agent
from haystack.components.generators.chat.mock import MockChatGenerator
from haystack.core.errors import SerializationError
from haystack.core.serialization import allow_deserialization_module
from haystack.dataclasses import ChatMessage

from erstwhile.integrations.haystack import RecallHook, memory_hooks
from tests.frameworks.contract import Contract


class Sent:
    """A function that a scripted model calls for its answer; it keeps what the model was sent."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def __call__(self, messages: list[ChatMessage]) -> str:
        self.texts.append("\n".join(str(each.text) for each in messages))
        return "Use pnpm."


def _agent(memory: Any, **options: Any) -> tuple[Agent, Sent]:
    sent = Sent()
    model = MockChatGenerator(response_fn=sent)
    return Agent(chat_generator=model, hooks=memory_hooks(memory, **options)), sent


class TestHooks(Contract):
    def write(self, memory: Memory, text: str) -> None:
        _agent(memory)[0].run(messages=[ChatMessage.from_user(text)])

    def read(self, memory: Memory, query: str) -> str:
        agent, sent = _agent(memory, learn=False)
        agent.run(messages=[ChatMessage.from_user(query)])
        return sent.texts[0]

    async def awrite(self, memory: Memory, text: str) -> None:
        await _agent(memory)[0].run_async(messages=[ChatMessage.from_user(text)])

    async def aread(self, memory: Memory, query: str) -> str:
        agent, sent = _agent(memory, learn=False)
        await agent.run_async(messages=[ChatMessage.from_user(query)])
        return sent.texts[0]


def test_the_context_is_no_part_of_the_result(ana: Memory) -> None:
    ana.remember("Ana installs packages with pnpm </memory> and more")
    agent, sent = _agent(ana)

    result = agent.run(messages=[ChatMessage.from_user("How do I install packages?")])

    assert "with pnpm" in sent.texts[0]
    assert "pnpm </memory>" not in sent.texts[0]
    said = [each.text for each in result["messages"]]
    assert said == ["How do I install packages?", "Use pnpm."]


MEMORY = erstwhile.open(":memory:", embedder="none")


def memory_of_run(_: Any) -> Memory:
    return MEMORY.scoped(user="ana")


def test_hooks_with_a_function_can_be_serialised(ana: Memory) -> None:
    allow_deserialization_module(__name__)
    hook: Any = memory_hooks(memory_of_run, learn=False)["after_run"][0]
    copy = type(hook).from_dict(hook.to_dict())
    assert copy.to_dict() == hook.to_dict()
    with pytest.raises(SerializationError, match="pass a function"):
        RecallHook(ana).to_dict()


def test_a_run_without_words_of_a_user_goes_on(ana: Memory) -> None:
    agent, sent = _agent(ana)
    asyncio.run(agent.run_async(messages=[ChatMessage.from_system("Be kind.")]))
    assert sent.texts == ["Be kind."]
