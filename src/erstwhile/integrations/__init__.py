"""Connect other programs to a memory: tools for language models, and imported conversations.

The package uses the public surface of `Memory`; the command line and doors may import it.
Begin with `memory_tools.py` (tools) or `conversation_files.py` (imports).
"""

from __future__ import annotations

from erstwhile.integrations.memory_files import MemoryFiles
from erstwhile.integrations.memory_tools import MemoryTools
from erstwhile.integrations.tool_calls import ToolResult

__all__ = ["MemoryFiles", "MemoryTools", "ToolResult"]
