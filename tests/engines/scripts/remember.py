"""Remember texts one by one; an id is printed when its fact is acknowledged, never before.

Arguments: the file, the synchronous setting, how many, and a text in which {n} is the number.
"""

from __future__ import annotations

import sys

import erstwhile
from tests.engines.scripts import starting_line


def main(path: str, synchronous: str, count: str, text: str) -> None:
    settings = erstwhile.Settings(synchronous=synchronous, busy_timeout=60, embedder="none")
    with erstwhile.open(path, settings=settings) as memory:
        starting_line.wait()
        for number in range(int(count)):
            print(memory.remember(text.format(n=number)).id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
