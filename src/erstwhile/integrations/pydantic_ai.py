"""Pydantic AI: a capability that gives an agent a memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import AgentRunResult, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.toolsets import FunctionToolset

from erstwhile.core.settings import TOKENS
from erstwhile.integrations.run_memory import MemoryOfRun, RunMemory, short_channel
from erstwhile.memory import Memory
from erstwhile.tools.toolset import tool_definitions


class ErstwhileMemory(AbstractCapability[Any]):
    """Adds the context to each request, learns from each run, and offers tools for the memory.

    `memory` is a memory, or a function that returns the one of a run, for agents with many users.
    If the memory fails, the run continues without it.
    """

    def __init__(
        self,
        memory: Memory | MemoryOfRun,
        *,
        tokens: int = TOKENS,
        learn: bool = True,
        tools: bool = True,
    ) -> None:
        self._runs = RunMemory(memory, tokens)
        self._learn, self._tools = learn, tools

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Add the context before the last words of the user, in this request only."""
        messages = list(request_context.messages)
        place = next((n for n in reversed(range(len(messages))) if _user_text([messages[n]])), None)
        if place is not None:
            text = await asyncio.to_thread(self._runs.context, ctx, _user_text([messages[place]]))
            if text:
                parts = [UserPromptPart(text), *messages[place].parts]
                messages[place] = replace(messages[place], parts=parts)
        return replace(request_context, messages=messages)

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        """Store the turn, and learn from it in the background."""
        if self._learn:
            await asyncio.to_thread(self._observe, ctx, result)
        return result

    def get_toolset(self) -> FunctionToolset[Any] | None:
        return FunctionToolset(list(self._all_tools())) if self._tools else None

    def _all_tools(self) -> Iterator[Tool[Any]]:
        for each in tool_definitions("json"):
            name, schema = each["name"], each["parameters"]
            called = self._tool(name)
            yield Tool.from_schema(called, name, each["description"], schema, takes_ctx=True)

    def _tool(self, name: str) -> Callable[..., str]:
        def called(ctx: RunContext[Any], **arguments: Any) -> str:
            return self._runs.of(ctx).tools().call(name, arguments).text

        return called

    def _observe(self, ctx: RunContext[Any], result: AgentRunResult[Any]) -> None:
        messages = result.new_messages()
        asked = _user_text(messages)
        if not asked:
            return
        self._runs.tried(
            ctx,
            lambda memory: memory.observe_turn(
                asked,
                _answer_text(messages),
                tools=_tool_texts(messages) or None,
                channel=short_channel(f"pydantic-ai:{ctx.conversation_id}"),
                key=ctx.run_id,
            ),
            None,
        )


def _user_text(messages: Sequence[ModelMessage]) -> str:
    requests = (each for each in messages if isinstance(each, ModelRequest))
    prompts = (part for each in requests for part in each.parts if isinstance(part, UserPromptPart))
    return "\n".join(text for part in prompts for text in _texts(part.content))


def _texts(content: str | Sequence[UserContent]) -> list[str]:
    parts = [content] if isinstance(content, str) else content
    return [part for part in parts if isinstance(part, str)]


def _answer_text(messages: Sequence[ModelMessage]) -> str | None:
    answers = [each for each in messages if isinstance(each, ModelResponse)]
    texts = [part.content for part in answers[-1].parts if isinstance(part, TextPart)]
    return "\n".join(texts) or None


def _tool_texts(messages: Sequence[ModelMessage]) -> list[str]:
    """Return the texts that tools returned, other than those of the memory."""
    parts = (part for each in messages for part in each.parts if isinstance(part, ToolReturnPart))
    ours = {each["name"] for each in tool_definitions("json")}
    return [part.model_response_str() for part in parts if part.tool_name not in ours]
