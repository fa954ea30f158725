"""Microsoft Agent Framework: an agent remembers on Tuesday what the user said on Monday.

Prints:
    True
"""

import asyncio
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

import erstwhile
from erstwhile.integrations.agent_framework import ErstwhileProvider

memory = erstwhile.open(":memory:").scoped(user="ana")


class Scripted(BaseChatClient):
    """A model without a key, which keeps what it was sent."""

    sent = ""

    async def _inner_get_response(self, *, messages: list[Message], **_: Any) -> ChatResponse:
        self.sent = "\n".join(each.text for each in messages)
        return ChatResponse(messages=[Message("assistant", ["Noted."])])


async def main() -> None:
    """Run the agent twice."""
    client = Scripted()
    agent = Agent(client=client, context_providers=[ErstwhileProvider(memory)])
    await agent.run("I am allergic to peanuts.")
    memory.flush()
    await agent.run("What am I allergic to?")
    print("The user is allergic to peanuts" in client.sent)


asyncio.run(main())
