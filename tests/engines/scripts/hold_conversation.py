"""Add messages to one channel, and print the conversation of each acknowledged message.

Arguments: the file, and how many exchanges.
"""

from __future__ import annotations

import sys

import erstwhile
from tests.engines.scripts import starting_line


def main(path: str, count: str) -> None:
    settings = erstwhile.Settings(synchronous="NORMAL", busy_timeout=60, embedder="none")
    with erstwhile.open(path, settings=settings) as memory:
        conversations = memory.scoped(user="ana").conversations
        starting_line.wait()
        print(conversations.current("race").id, flush=True)
        for number in range(int(count)):
            question, answer = conversations.add_exchange(
                f"q{number}", f"a{number}", channel="race"
            )
            print(question.conversation, flush=True)
            print(answer.conversation, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
