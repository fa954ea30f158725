"""Ways for an agent to use its memory: tools for its blocks, and the files of Anthropic's tool."""

from __future__ import annotations

from erstwhile.integrations.block_tools import BlockTools, ToolResult
from erstwhile.integrations.memory_files import MemoryFiles

__all__ = ["BlockTools", "MemoryFiles", "ToolResult"]
