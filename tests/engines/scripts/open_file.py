"""Open a memory at the same moment as others do; print its schema and what it holds."""

from __future__ import annotations

import sys

import erstwhile
from erstwhile.engines.sqlite import (
    engine as sqlite,  # loaded beforehand, so that only the opening is raced
)
from tests.engines.scripts import starting_line


def main(path: str, text: str) -> None:
    assert sqlite.__name__
    starting_line.wait()
    with erstwhile.open(path) as memory:
        memory.remember(text)
        print(memory.stats().schema)


if __name__ == "__main__":
    main(*sys.argv[1:])
