"""A chatbot that remembers: it reports each turn, and gets the memory that matters now.

Without arguments it plays two days without a language model. With the name of a model it chats with
you and learns with that model: `pip install ".[openai]"`, set OPENAI_API_KEY, and run
`python examples/chatbot.py gpt-4o-mini`. OPENAI_BASE_URL names another server, such as Ollama.

Prints:
    Monday
      you: Hi! My name is Ana, and I live in Porto.
      you: We use npm for the shop.
      you: We switched from npm to pnpm for the shop.
    Tuesday, asked "which package manager do we use for the shop?", it is given
      - name: Ana
      - home: Porto
      - The team uses pnpm for the shop
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import erstwhile
from erstwhile import Memory

Ask: TypeAlias = Callable[[list[dict[str, str]]], str]
"""A function from messages to the answer of a model."""

MONDAY = (
    "Hi! My name is Ana, and I live in Porto.",
    "We use npm for the shop.",
    "We switched from npm to pnpm for the shop.",
)
QUESTION = "which package manager do we use for the shop?"


def reply(memory: Memory, ask: Ask, said: str) -> str:
    """Answer a message with the help of the memory, and report the turn."""
    known = memory.context(said, tokens=2000)
    answer = ask(known.messages(said, history=True))
    memory.observe_turn(said, answer)  # returns at once; a thread learns
    return answer


def openai_model(name: str) -> Ask:
    from openai import OpenAI

    chat: Any = OpenAI().chat.completions
    return lambda messages: str(
        chat.create(model=name, messages=messages).choices[0].message.content
    )


def talk(file: Path, model: str) -> None:
    """Chat until an empty line is entered."""
    ask = openai_model(model)
    with erstwhile.open(file, llm=f"openai:{model}") as memory:
        ana = memory.scoped(user="ana")
        while said := input("you: ").strip():
            print("bot:", reply(ana, ask, said))


def play(file: Path) -> None:
    with erstwhile.open(file) as memory:  # closing waits until all is learned
        print("Monday")
        for said in MONDAY:
            print("  you:", said)
            reply(memory.scoped(user="ana"), lambda _messages: "I see.", said)
    with erstwhile.open(file) as memory:
        print(f'Tuesday, asked "{QUESTION}", it is given')
        known = memory.scoped(user="ana").context(QUESTION, needs=["profile", "project", "facts"])
        for item in known.items:
            print("  -", item.text)


def main() -> None:
    if len(sys.argv) > 1:
        talk(Path("chatbot.db"), sys.argv[1])
        return
    with TemporaryDirectory() as folder:
        play(Path(folder, "chatbot.db"))


if __name__ == "__main__":
    main()
