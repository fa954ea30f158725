"""Connect other programs to a memory: tools for language models, and imported conversations.

The package uses the public surface of `Memory`; only the command line may import it.
Begin with `block_tools.py` (tools) or `conversation_files.py` (imports).
"""

from __future__ import annotations

from erstwhile.integrations.block_tools import BlockTools, ToolResult
from erstwhile.integrations.memory_files import MemoryFiles

__all__ = ["BlockTools", "MemoryFiles", "ToolResult"]
