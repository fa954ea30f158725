"""Strands Agents: find what an agent added in an earlier run.

Prints:
    Ana drinks green tea
"""

import asyncio

from strands.memory import MemoryManager

import erstwhile
from erstwhile.integrations.strands import ErstwhileMemoryStore

memory = erstwhile.open(":memory:").scoped(user="ana")


async def main() -> None:
    """Do what the tools of `Agent(memory_manager=manager)` do."""
    manager = MemoryManager(stores=[ErstwhileMemoryStore(memory)], add_tool_config=True)
    await manager.add("Ana drinks green tea")
    found = await manager.search("Which tea does Ana drink?")
    print(found[0].content)


asyncio.run(main())
