"""LangChain: an agent remembers on Tuesday what the user said on Monday.

Prints:
    True
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel

import erstwhile
from erstwhile.integrations.langchain import ErstwhileMiddleware

memory = erstwhile.open(":memory:").scoped(user="ana")


class Scripted(FakeListChatModel):
    """A model without a key, which keeps what it was sent."""

    sent: list[str]

    def _call(self, messages: list[Any], *rest: Any, **options: Any) -> str:
        self.sent.append(str(messages))
        return str(super()._call(messages, *rest, **options))


model = Scripted(responses=["Noted."], sent=[])
agent = create_agent(model, middleware=[ErstwhileMiddleware(memory)])
agent.invoke({"messages": [("user", "I am allergic to peanuts.")]})
memory.flush()
agent.invoke({"messages": [("user", "What am I allergic to?")]})
print("The user is allergic to peanuts" in model.sent[-1])
