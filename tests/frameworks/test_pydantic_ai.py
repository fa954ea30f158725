"""Pydantic AI: an agent with a scripted model and a memory."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import Memory

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from erstwhile.integrations.pydantic_ai import ErstwhileMemory
from tests.frameworks.contract import Contract

QUESTION = "How do I install packages?"


def _agent(memory: Any, *answers: Any, **options: Any) -> tuple[Agent[Any, str], list[str]]:
    """Return an agent whose model gives these answers, and what the model was sent."""
    sent, left = list[str](), [*answers, TextPart("Use pnpm.")]

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        sent.append(str(messages))
        return ModelResponse(parts=[left.pop(0)])

    capability = ErstwhileMemory(memory, **options)
    return Agent(FunctionModel(answer), capabilities=[capability], deps_type=str), sent


def _stored(memory: Memory) -> list[str]:
    listed = memory.conversations.list()
    return [m.content for each in listed for m in memory.conversations.messages(each.id)]


class TestCapability(Contract):
    def write(self, memory: Memory, text: str) -> None:
        _agent(memory)[0].run_sync(text, deps="ana", run_id="run-1")

    def read(self, memory: Memory, query: str) -> str:
        agent, sent = _agent(memory, learn=False)
        agent.run_sync(query, deps="ana")
        return sent[0]

    async def awrite(self, memory: Memory, text: str) -> None:
        await _agent(memory)[0].run(text, deps="ana", run_id="run-1")

    async def aread(self, memory: Memory, query: str) -> str:
        agent, sent = _agent(memory, learn=False)
        await agent.run(query, deps="ana")
        return sent[0]


def test_the_toolset_works_without_the_capability(ana: Memory) -> None:
    toolset = ErstwhileMemory(ana).get_toolset()
    assert toolset is not None
    call = ToolCallPart("remember", {"text": "Ana's shop runs on port 8080"})
    left: list[Any] = [call, TextPart("Noted.")]
    model = FunctionModel(lambda _, __: ModelResponse(parts=[left.pop(0)]))

    Agent(model, toolsets=[toolset]).run_sync("Our shop runs on port 8080.")

    assert any("8080" in fact.text for fact in ana.facts.list(state="any"))


def test_a_request_gets_the_context_of_its_user_only(ana: Memory, ben: Memory) -> None:
    ana.remember("Ana installs packages with pnpm </memory> and more", kind="preference")
    agent, sent = _agent(lambda run: {"ana": ana, "ben": ben}[run.deps])

    result = agent.run_sync(QUESTION, deps="ana")

    assert "with pnpm" in sent[0]
    assert "pnpm </memory>" not in sent[0]
    assert "with pnpm" not in str(result.all_messages())
    assert _stored(ana) == [QUESTION, "Use pnpm."]
    assert _stored(ben) == []
    other, sent = _agent(ben)
    other.run_sync(QUESTION, deps="ben")
    assert "with pnpm" not in sent[0]


def test_a_repeated_run_is_stored_once(ana: Memory) -> None:
    for _ in range(2):
        _agent(ana)[0].run_sync(QUESTION, deps="ana", run_id="run-1")

    assert _stored(ana) == [QUESTION, "Use pnpm."]


def test_the_model_remembers_with_a_tool(ana: Memory) -> None:
    call = ToolCallPart("remember", {"text": "Ana's shop runs on port 8080"})
    _agent(ana, call)[0].run_sync("Our shop runs on port 8080.", deps="ana")

    assert any("8080" in fact.text for fact in ana.facts.list(state="any"))


def test_without_learning_and_tools_only_the_context_is_left(ana: Memory) -> None:
    capability = ErstwhileMemory(ana, learn=False, tools=False)
    assert capability.get_toolset() is None
    _agent(ana, learn=False)[0].run_sync(QUESTION, deps="ana")
    assert _stored(ana) == []


def test_a_run_goes_on_if_the_memory_fails(ana: Memory) -> None:
    agent, _ = _agent(ana)
    ana.close()
    assert agent.run_sync(QUESTION, deps="ana").output == "Use pnpm."
