"""Anthropic's memory tool: the contract of adapters. Its files have tests of their own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from erstwhile import Memory

pytest.importorskip("anthropic")

from anthropic.lib.tools import ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818ViewCommand,
)

from erstwhile.integrations.anthropic_tool import async_memory_tool, memory_tool
from tests.frameworks.contract import Contract

PATH = "/memories/notes.md"
VIEW = BetaMemoryTool20250818ViewCommand(command="view", path=PATH)


def _create(text: str) -> Any:
    return BetaMemoryTool20250818CreateCommand(command="create", path=PATH, file_text=text)


class TestTool(Contract):
    """A file comes back as it was: the model edits it by its exact text."""

    fenced = False
    error = ToolError

    def write(self, memory: Memory, text: str) -> None:
        with suppress(ToolError):  # the file exists already
            memory_tool(memory).create(_create(text))

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        try:
            return str(memory_tool(memory).view(VIEW))
        except ToolError as error:
            if "does not exist" not in str(error):
                raise
            return ""  # another user has the file

    async def awrite(self, memory: Memory, text: str) -> None:
        await async_memory_tool(memory).create(_create(text))

    async def aread(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        return str(await async_memory_tool(memory).view(VIEW))
