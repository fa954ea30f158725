"""Anthropic's memory tool on the blocks of a memory, for the tool runner of Anthropic's SDK."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from erstwhile.blocks.block import LIMIT_TOKENS
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.installing import import_extra
from erstwhile.integrations.memory_files import COMMANDS, MemoryFiles
from erstwhile.memory import Memory

if TYPE_CHECKING:
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool


def memory_tool(memory: Memory, *, limit_tokens: int = LIMIT_TOKENS) -> BetaAbstractMemoryTool:
    """Return a tool for `client.beta.messages.tool_runner(tools=[…])`.

    It needs the package anthropic.
    """
    run = _runner(memory, limit_tokens)
    methods = {name: lambda _self, command: run(command) for name in COMMANDS}
    base = _sdk().BetaAbstractMemoryTool
    tool: BetaAbstractMemoryTool = type("ErstwhileMemoryTool", (base,), methods)()
    return tool


def async_memory_tool(
    memory: Memory, *, limit_tokens: int = LIMIT_TOKENS
) -> BetaAsyncAbstractMemoryTool:
    """Return a tool for `AsyncAnthropic`; each command runs on a worker thread."""
    run = _runner(memory, limit_tokens)

    async def run_in_thread(_self: object, command: Any) -> str:
        return await to_thread(run, command)

    base, methods = _sdk().BetaAsyncAbstractMemoryTool, dict.fromkeys(COMMANDS, run_in_thread)
    tool: BetaAsyncAbstractMemoryTool = type("AsyncErstwhileMemoryTool", (base,), methods)()
    return tool


def _runner(memory: Memory, limit_tokens: int) -> Callable[[Any], str]:
    _sdk()  # imported first, for its error message
    from anthropic.lib.tools import ToolError

    files = MemoryFiles(memory, limit_tokens=limit_tokens)

    def run(command: Any) -> str:
        try:
            return files.run(command.model_dump())
        except ErstwhileError as error:
            raise ToolError(error.message) from error

    return run


def _sdk() -> Any:
    return import_extra("anthropic.tools.memory", "anthropic")
