"""Pydantic AI: an agent remembers on Tuesday what the user said on Monday.

Prints:
    True
"""

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

import erstwhile
from erstwhile.integrations.pydantic_ai import ErstwhileMemory

memory = erstwhile.open(":memory:").scoped(user="ana")
sent: list[str] = []


def scripted(messages: list[Any], _: Any) -> ModelResponse:
    """Answer without a key, and keep what the model was sent."""
    sent.append(str(messages))
    return ModelResponse(parts=[TextPart("Noted.")])


agent = Agent(FunctionModel(scripted), capabilities=[ErstwhileMemory(memory)])
agent.run_sync("I am allergic to peanuts.")
memory.flush()
agent.run_sync("What am I allergic to?")
print("The user is allergic to peanuts" in sent[-1])
