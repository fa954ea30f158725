"""Open a memory at the same moment as others do; print its schema and what it holds."""

from __future__ import annotations

import sys

import recollect
from recollect.engine import sqlite  # loaded beforehand, so that only the opening is raced
from tests.engine.scripts import starting_line


def main(path: str, text: str) -> None:
    assert sqlite.MEMORY
    starting_line.wait()
    with recollect.open(path) as memory:
        memory.remember(text)
        print(memory.stats().schema)


if __name__ == "__main__":
    main(*sys.argv[1:])
