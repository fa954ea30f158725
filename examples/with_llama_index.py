"""LlamaIndex: a chat that uses facts and keeps its messages.

Prints:
    True
    1
"""

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

import erstwhile
from erstwhile.integrations.llama_index import ErstwhileBlock, ErstwhileChatStore

memory = erstwhile.open(":memory:").scoped(user="ana")
memory.remember("Ana is allergic to peanuts")
# Give it to an agent: agent.run("…", memory=chat)
chat = Memory.from_defaults(
    session_id="chat-1",
    chat_store=ErstwhileChatStore(memory),
    memory_blocks=[ErstwhileBlock(memory)],
)
chat.put(ChatMessage("What is Ana allergic to?"))
print("Ana is allergic to peanuts" in str(chat.get()))
print(len(chat.get_all()))
