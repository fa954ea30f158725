"""Haystack: an agent remembers on Tuesday what the user said on Monday.

Prints:
    True
"""

from haystack.components.agents import Agent
from haystack.components.generators.chat.mock import MockChatGenerator
from haystack.dataclasses import ChatMessage

import erstwhile
from erstwhile.integrations.haystack import memory_hooks

memory = erstwhile.open(":memory:").scoped(user="ana")
sent: list[str] = []


def scripted(messages: list[ChatMessage]) -> str:
    """Answer without a key, and keep what the model was sent."""
    sent.append("\n".join(each.text or "" for each in messages))
    return "Noted."


agent = Agent(chat_generator=MockChatGenerator(response_fn=scripted), hooks=memory_hooks(memory))
agent.run(messages=[ChatMessage.from_user("I am allergic to peanuts.")])
memory.flush()
agent.run(messages=[ChatMessage.from_user("What am I allergic to?")])
print("The user is allergic to peanuts" in sent[-1])
