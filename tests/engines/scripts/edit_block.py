"""Edit one block many times, taking turns between a blind append and a guarded update.

Arguments: the file, how many, and a word. Prints each line that landed when it is acknowledged.
"""

from __future__ import annotations

import sys

import erstwhile
from tests.engines.scripts import starting_line


def main(path: str, count: str, word: str) -> None:
    settings = erstwhile.Settings(busy_timeout=60, embedder="none", tokenizer="estimate")
    with erstwhile.open(path, settings=settings) as memory:
        starting_line.wait()
        for number in range(int(count)):
            line = f"{word}-{number}"
            if number % 2:
                memory.blocks.append("shared", line)
            elif not edited(memory, line):
                continue
            print(line, flush=True)


def edited(memory: erstwhile.Memory, line: str) -> bool:
    """Read, change and write; return whether there was no conflict."""
    block = memory.blocks.get("shared")
    try:
        memory.blocks.update("shared", f"{block.content}\n{line}", expected_version=block.version)
    except erstwhile.ConflictError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
