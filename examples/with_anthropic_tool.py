"""Anthropic's memory tool: the files of a model are blocks of the memory.

Prints:
    Here's the content of /memories/tea.md with line numbers:
    1	Ana drinks green tea
"""

from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818ViewCommand,
)

import erstwhile
from erstwhile.integrations.anthropic_tool import memory_tool

memory = erstwhile.open(":memory:").scoped(user="ana")
# Give it to the model: client.beta.messages.tool_runner(tools=[tool], …)
tool = memory_tool(memory)
path, text = "/memories/tea.md", "Ana drinks green tea"
tool.create(BetaMemoryTool20250818CreateCommand(command="create", path=path, file_text=text))
print(tool.view(BetaMemoryTool20250818ViewCommand(command="view", path=path)))
