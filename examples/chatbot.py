"""A chatbot in the terminal that remembers: `python examples/chatbot.py MODEL`.

It talks to any server with OpenAI's interface and learns with the same model. Set OPENAI_API_KEY,
and OPENAI_BASE_URL for another server, such as http://localhost:11434/v1 for Ollama.
"""

from __future__ import annotations

import sys
from typing import Any

from openai import OpenAI

import erstwhile


def main(model: str) -> None:
    """Chat until an empty line is entered."""
    server: Any = OpenAI()
    with erstwhile.open("chatbot.db", llm=f"openai:{model}") as memory:
        ana = memory.scoped(user="ana")
        while said := input("you: ").strip():
            known = ana.context(said, tokens=2000)
            messages = known.messages(said, history=True)
            answer = server.chat.completions.create(model=model, messages=messages)
            text = answer.choices[0].message.content
            print("bot:", text)
            ana.observe_turn(said, text)  # returns at once; a thread learns


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "gpt-4o-mini")
