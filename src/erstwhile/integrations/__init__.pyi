"""The public names, for type checkers and for `lazy_names`."""

from erstwhile.integrations.anthropic_tool import MemoryFiles as MemoryFiles
from erstwhile.integrations.telemetry import MemoryTelemetry as MemoryTelemetry

__all__: list[str]
