"""The public names, for type checkers and for `lazy_names`."""

from erstwhile.integrations.memory_files import MemoryFiles as MemoryFiles
from erstwhile.integrations.memory_tools import MemoryTools as MemoryTools
from erstwhile.integrations.telemetry import MemoryTelemetry as MemoryTelemetry
from erstwhile.integrations.tool_calls import ToolResult as ToolResult

__all__: list[str]
