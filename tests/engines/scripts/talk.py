"""Talk on one channel; where each message went is printed when it is acknowledged.

Arguments: the file, and how many exchanges.
"""

from __future__ import annotations

import sys

import erstwhile
from tests.engines.scripts import starting_line


def main(path: str, count: str) -> None:
    settings = erstwhile.Settings(synchronous="NORMAL", busy_timeout=60, embedder="none")
    with erstwhile.open(path, settings=settings) as memory:
        chats = memory.scoped(user="ana").conversations
        starting_line.wait()
        print(chats.current("race").id, flush=True)
        for number in range(int(count)):
            asked, answered = chats.add_exchange(f"q{number}", f"a{number}", channel="race")
            print(asked.conversation, flush=True)
            print(answered.conversation, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
