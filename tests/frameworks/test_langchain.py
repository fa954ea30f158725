"""LangChain: an agent with a scripted model and a memory."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from erstwhile import Memory

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from erstwhile.integrations.langchain import ErstwhileMiddleware

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
