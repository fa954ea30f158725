"""Learn from turns one by one with the language model at an address.

Usage: spend.py FILE URL USER LIMIT
"""

from __future__ import annotations

import sys

import erstwhile
from erstwhile.testing.clock import FakeClock
from tests.engines.processes import wait_for_start

TURNS = 4


def main(file: str, url: str, user: str, limit: str) -> None:
    settings = erstwhile.Settings(
        embedder="none", llm="openai:test-model", llm_url=url, daily_limit=limit
    )
    with erstwhile.open(file, settings=settings, clock=FakeClock()) as memory:
        mine = memory.scoped(user=user)
        wait_for_start()
        for number in range(TURNS):
            mine.observe_turn(f"My dog number {number} is called Rex.", "Nice.", wait=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
