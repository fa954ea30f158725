"""One of several processes that change and read the same records at once.

Arguments: a file or the address of a database, its space, the name of the process, the number of
operations, and a seed. It prints a line of JSON for each operation, with its begin and its end.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

import erstwhile
from erstwhile import Memory
from tests.engines.scripts import starting_line
from tests.reliability.kills import opened

REGISTERS = 4
"""The number of blocks, keys and counted texts."""
REFUSED = "refused"
"""The register of a call that saw nothing."""
Seen = dict[str, Any]
"""What a call returned: the key of the register, the value seen, and for a change its time."""


def edit(memory: Memory, key: int, token: str) -> Seen:
    """Replace a block, if nobody else did so since we read it."""
    block = memory.blocks.get(f"block {key}")
    try:
        new = memory.blocks.update(block.name, token, expected_version=block.version)
    except erstwhile.ConflictError as error:
        now = error.current or block
        return {"seen": [now.version, now.content]}
    return {"seen": [new.version, new.content], "at": new.updated_at.isoformat()}


def look(memory: Memory, key: int, _token: str) -> Seen:
    block = memory.blocks.get(f"block {key}")
    return {"seen": [block.version, block.content]}


def count(memory: Memory, key: int, _token: str) -> Seen:
    """State the same again: evidence counts how often."""
    fact = memory.remember(f"count {key}")
    return {"seen": fact.evidence, "at": fact.known_from.isoformat()}


def put(memory: Memory, key: int, token: str) -> Seen:
    fact = memory.facts.set(f"key {key}", token)
    return {"seen": token, "at": fact.known_from.isoformat()}


def ask(memory: Memory, key: int, _token: str) -> Seen:
    return {"seen": memory.facts.value(f"key {key}")}


def forget(memory: Memory, key: int, _token: str) -> Seen:
    """Retire the value of a key, if it is still the one that we read."""
    page = memory.facts.list(key=f"key {key}", limit=1)
    if not page:
        return {"seen": None}
    try:
        gone = memory.facts.retire(page[0].id, "wrong")
    except erstwhile.ConflictError:
        return {"register": REFUSED}
    return {"seen": None, "at": gone.known_from.isoformat()}


CALLS: dict[str, tuple[str, Callable[[Memory, int, str], Seen]]] = {
    "edit": ("block", edit),
    "look": ("block", look),
    "count": ("count", count),
    "put": ("key", put),
    "ask": ("key", ask),
    "forget": ("key", forget),
}


def main(place: str, space: str, name: str, operations: str, seed: str) -> None:
    chance = Random(f"{seed} {name}")
    with opened(place, space) as memory:
        starting_line.wait()
        for number in range(int(operations)):
            call, key = chance.choice(sorted(CALLS)), chance.randrange(REGISTERS)
            kind, run = CALLS[call]
            begin = time.monotonic()
            seen = run(memory, key, f"{name}-{number}")
            line = {"register": f"{kind} {key}", "begin": begin, "end": time.monotonic(), **seen}
            print(json.dumps(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
