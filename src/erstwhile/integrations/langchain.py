"""LangChain: a middleware that gives an agent a memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import HumanMessage, convert_to_openai_messages
from langgraph.config import get_config
from langgraph.runtime import Runtime

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.settings import TOKENS
from erstwhile.integrations.chat_items import short_channel
from erstwhile.memory import Memory

MemoryOfRun = Callable[[Runtime[Any]], Memory]


class ErstwhileMiddleware(AgentMiddleware[Any, Any]):
    """Adds the context to each call of the model, and learns from each run of the agent.

    `memory` is a memory, or a function that returns the one of a run, for agents with many users.
    If the memory fails, the run goes on without it.
    """

    def __init__(
        self, memory: Memory | MemoryOfRun, *, tokens: int = TOKENS, learn: bool = True
    ) -> None:
        super().__init__()
        self._of_run: MemoryOfRun = (lambda _: memory) if isinstance(memory, Memory) else memory
        self._tokens, self._learn = tokens, learn

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Add the context before the last words of the user, in this call only."""
        return handler(self._with_memory(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Add the context, as `wrap_model_call`."""
        return await handler(await asyncio.to_thread(self._with_memory, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Store the new messages of the run, and learn from them in the background."""
        if not self._learn:
            return
        thread = get_config().get("configurable", {}).get("thread_id")
        channel = None if thread is None else short_channel(f"langchain:{thread}")
        try:
            messages: Any = convert_to_openai_messages(state["messages"])
            self._of_run(runtime).observe(messages, channel=channel)
        except ErstwhileError as error:
            log_failure(__name__, "a run is not learned from", error=error)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Store the new messages, as `after_agent`."""
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _with_memory(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        messages = list(request.messages)
        asked = [n for n, each in enumerate(messages) if isinstance(each, HumanMessage)]
        if not asked:
            return request
        try:
            memory = self._of_run(request.runtime)
            context = memory.context(str(messages[asked[-1]].text), self._tokens)
        except ErstwhileError as error:
            log_failure(__name__, "a call is made without memory", error=error)
            return request
        text = "\n".join(filter(None, (context.prefix, context.tail_without_history)))
        if text:
            messages[asked[-1]] = _preceded(messages[asked[-1]], text)
        return request.override(messages=messages)


def _preceded(message: Any, text: str) -> Any:
    """Return a message with a text before its words."""
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{text}\n{content}"})
    return message.model_copy(update={"content": [{"type": "text", "text": text}, *content]})
