"""OpenAI Agents SDK: continue a session in another process.

Prints:
    I drink green tea.
"""

import asyncio

import erstwhile
from erstwhile.integrations.openai_agents import ErstwhileSession

memory = erstwhile.open(":memory:").scoped(user="ana")


async def main() -> None:
    """Store what `Runner.run(agent, …, session=session)` would store, and read it again."""
    monday = ErstwhileSession("chat-1", memory)
    await monday.add_items([{"role": "user", "content": "I drink green tea."}])
    tuesday = ErstwhileSession("chat-1", memory)
    print((await tuesday.get_items())[0]["content"])


asyncio.run(main())
