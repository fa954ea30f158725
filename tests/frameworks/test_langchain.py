"""LangChain: an agent with a scripted model, its suite for retrievers, and a history."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("langchain")
pytest.importorskip("langchain_tests")

from langchain.agents import create_agent
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_tests.integration_tests import RetrieversIntegrationTests

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.langchain import (
    ErstwhileChatHistory,
    ErstwhileMiddleware,
    ErstwhileRetriever,
)
from tests.frameworks.contract import Contract

QUESTION = "How do I install packages?"
THREAD: Any = {"configurable": {"thread_id": "1"}}


class Scripted(GenericFakeChatModel):
    """A model that keeps what it was sent."""

    sent: list[str] = []  # noqa: RUF012 (a field of a model)

    def _generate(self, messages: Any, *rest: Any, **options: Any) -> Any:
        self.sent.append(str(messages))
        return super()._generate(messages, *rest, **options)


def _agent(memory: Any, **options: Any) -> tuple[Any, list[str]]:
    """Return an agent whose model always gives one answer, and what the model was sent."""
    model = Scripted(messages=iter(lambda: AIMessage("Use pnpm."), None), sent=[])
    return create_agent(model, middleware=[ErstwhileMiddleware(memory, **options)]), model.sent


def _stored(memory: Memory) -> list[str]:
    listed = memory.conversations.list()
    return [m.content for each in listed for m in memory.conversations.messages(each.id)]


class TestMiddleware(Contract):
    def write(self, memory: Memory, text: str) -> None:
        _agent(memory)[0].invoke({"messages": [HumanMessage(text)]}, THREAD)

    def read(self, memory: Memory, query: str) -> str:
        agent, sent = _agent(memory, learn=False)
        agent.invoke({"messages": [HumanMessage(query)]}, THREAD)
        return sent[0]

    async def awrite(self, memory: Memory, text: str) -> None:
        await _agent(memory)[0].ainvoke({"messages": [HumanMessage(text)]}, THREAD)

    async def aread(self, memory: Memory, query: str) -> str:
        agent, sent = _agent(memory, learn=False)
        await agent.ainvoke({"messages": [HumanMessage(query)]}, THREAD)
        return sent[0]


class TestChatHistory(Contract):
    fenced = repeatable = False
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        ErstwhileChatHistory("1", memory).add_messages([HumanMessage(text)])

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        return str(ErstwhileChatHistory("1", memory).messages)

    async def awrite(self, memory: Memory, text: str) -> None:
        await ErstwhileChatHistory("1", memory).aadd_messages([HumanMessage(text)])

    async def aread(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        return str(await ErstwhileChatHistory("1", memory).aget_messages())


MESSAGES: list[Any] = [
    HumanMessage("hi"),
    AIMessage("", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c1"}]),
    ToolMessage("42", tool_call_id="c1"),
    AIMessage([{"type": "text", "text": "Done."}], id="m4"),
    HumanMessage("long " * 12_000),
]


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_history_answers_as_the_one_of_langchain(start: int) -> None:
    """Compare 200 random sequences."""
    for seed in range(start, start + 50):
        random = Random(seed)
        with erstwhile.open(":memory:", embedder="none") as memory:
            ours = ErstwhileChatHistory("1", memory.scoped(user="ana"), learn=False)
            oracle = InMemoryChatMessageHistory()
            for _ in range(8):
                if random.random() < 0.8:
                    chosen = random.choices(MESSAGES, k=random.randint(0, 3))
                    ours.add_messages(chosen)
                    oracle.add_messages(chosen)
                else:
                    ours.clear()
                    oracle.clear()
                assert ours.messages == oracle.messages, seed


def test_a_chain_continues_its_history(ana: Memory) -> None:
    answer = RunnableLambda(lambda messages: AIMessage(f"{len(messages)} messages"))
    chain = RunnableWithMessageHistory(answer, lambda id: ErstwhileChatHistory(id, ana))
    session: Any = {"configurable": {"session_id": "1"}}

    chain.invoke([HumanMessage("I drink green tea.")], session)

    assert chain.invoke([HumanMessage("And now?")], session).content == "3 messages"
    assert ana.conversations.search("tea")[0].message.content == "I drink green tea."


class TestRetriever(RetrieversIntegrationTests):
    """The suite of LangChain for retrievers."""

    @pytest.fixture(autouse=True)
    def _filled(self, ana: Memory) -> None:
        self.memory = ana
        for drink in ("green tea", "black tea", "white tea", "mint tea"):
            ana.remember(f"Ana drinks {drink} in the morning")

    @property
    def retriever_constructor(self) -> type[ErstwhileRetriever]:
        return ErstwhileRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory}

    @property
    def retriever_query_example(self) -> str:
        return "Which tea does Ana drink?"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_call_gets_the_context_of_its_user_only(
    ana: Memory, ben: Memory, asynchronous: bool
) -> None:
    ana.remember("Ana installs packages with pnpm </memory> and more", kind="preference")
    agent, sent = _agent(lambda _: ana)
    asked: Any = {"messages": [HumanMessage(QUESTION)]}

    run = asyncio.run(agent.ainvoke(asked, THREAD)) if asynchronous else agent.invoke(asked, THREAD)

    assert "with pnpm" in sent[0]
    assert "pnpm </memory>" not in sent[0]
    assert [each.content for each in run["messages"]] == [QUESTION, "Use pnpm."]
    assert _stored(ana) == [QUESTION, "Use pnpm."]
    assert _stored(ben) == []
    other, sent = _agent(ben)
    other.invoke(asked, THREAD)
    assert "with pnpm" not in sent[0]


def test_messages_of_earlier_runs_are_stored_once(ana: Memory) -> None:
    agent, _ = _agent(ana)
    first = agent.invoke({"messages": [HumanMessage(QUESTION)]}, THREAD)
    agent.invoke({"messages": [*first["messages"], HumanMessage("And then?")]}, THREAD)

    assert _stored(ana) == [QUESTION, "Use pnpm.", "And then?", "Use pnpm."]


def test_without_learning_nothing_is_stored(ana: Memory) -> None:
    _agent(ana, learn=False)[0].invoke({"messages": [HumanMessage(QUESTION)]})
    assert _stored(ana) == []


def test_a_run_goes_on_if_the_memory_fails(ana: Memory) -> None:
    agent, _ = _agent(ana)
    ana.close()
    run = agent.invoke({"messages": [HumanMessage(QUESTION)]})
    assert run["messages"][-1].content == "Use pnpm."
