"""Connect other programs to a memory: tools for language models, and imported conversations.

The package uses the public surface of `Memory`; the command line and doors may import it.
Begin with `memory_tools.py` (tools) or `conversation_files.py` (imports).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.lazy_names import LazyNames

if TYPE_CHECKING:
    from erstwhile.integrations.memory_files import MemoryFiles as MemoryFiles
    from erstwhile.integrations.memory_tools import MemoryTools as MemoryTools
    from erstwhile.integrations.telemetry import MemoryTelemetry as MemoryTelemetry
    from erstwhile.integrations.tool_calls import ToolResult as ToolResult

_NAMES = LazyNames(
    __name__,
    {
        "integrations.memory_files": "MemoryFiles",
        "integrations.memory_tools": "MemoryTools",
        "integrations.telemetry": "MemoryTelemetry",
        "integrations.tool_calls": "ToolResult",
    },
)
__all__ = sorted(_NAMES.homes)


def __getattr__(name: str) -> object:
    return _NAMES.load(name)
