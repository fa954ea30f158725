"""Several processes change and read the same records; their history must be a sequence.

Each record is a register. The store gives each of its changes a time, so the order of the changes
is known. It must fit the real time of the calls, each change must follow from the one before, and
a read must see a state that was the last one at some moment between its begin and its end.

As a program it is one of the processes. Arguments: a file or the address of a database, its space,
the name of the process, the number of operations, and a seed. It prints a line of JSON for each
operation, with its begin and its end.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from random import Random
from typing import Any, NamedTuple

import erstwhile
from erstwhile import Memory
from tests.engines.processes import together, wait_for_start
from tests.reliability.memory_file import Outcome, opened


class Event(NamedTuple):
    """A call: its begin and end, and what it returned; `at` is the time of its change."""

    register: str
    begin: float
    end: float
    seen: Any = None
    at: str | None = None


def run(place: str, space: str, *, processes: int, operations: int, seed: int) -> Outcome:
    """Let processes contend, and check what they saw."""
    with opened(place, space) as memory:
        for key in range(REGISTERS):
            memory.blocks.add(f"block {key}", "begin")
    arguments = [(place, space, f"p{number}", operations, seed) for number in range(processes)]
    printed = together("tests.reliability.histories", *arguments)
    events = [Event(**json.loads(line)) for lines in printed for line in lines[-operations:]]
    result = Outcome(tried=len(events), done=sum(event.at is not None for event in events))
    result.broken += check(events)
    with opened(place, space) as memory:
        result.broken += memory.everything().audit.verify().problems
    return result


def check(events: list[Event]) -> Iterator[str]:
    registers: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        registers[event.register].append(event)
    registers.pop(REFUSED, None)
    for name, found in registers.items():
        changes = sorted((e for e in found if e.at is not None), key=lambda event: str(event.at))
        reads = [event for event in found if event.at is None]
        yield from (f"{name}: {each}" for each in _check_changes(name, changes))
        yield from (f"{name}: {each}" for each in _check_reads(name, changes, reads))


def _check_changes(name: str, changes: list[Event]) -> Iterator[str]:
    latest_begin = accumulate((event.begin for event in changes), max)
    for (one, next_one), begun in zip(pairwise(changes), latest_begin, strict=False):
        if one.at == next_one.at:
            yield f"two changes at {one.at}"
        if next_one.end < begun:
            yield f"the change at {next_one.at} ended before an earlier one began"
        if not _follows(name, one.seen, next_one.seen):
            yield f"{next_one.seen} does not follow from {one.seen}"
    if changes and not _follows(name, _first(name), changes[0].seen):
        yield f"{changes[0].seen} does not follow from the beginning"


def _check_reads(name: str, changes: list[Event], reads: list[Event]) -> Iterator[str]:
    states = [_first(name), *(event.seen for event in changes)]
    for read in reads:
        ended = [place for place, event in enumerate(changes, 1) if event.end < read.begin]
        begun = [place for place, event in enumerate(changes, 1) if event.begin < read.end]
        window = states[max(ended, default=0) : max(begun, default=0) + 1]
        if read.seen not in window:
            yield f"{read.seen} was read, which was not the state then"


def _first(name: str) -> Any:
    return {"block": [1, "begin"], "count": 0, "key": None}[name.split()[0]]


def _follows(name: str, state: Any, following: Any) -> bool:
    if name.startswith("block"):
        return bool(following[0] == state[0] + 1)
    return name.startswith("key") or bool(following == state + 1)


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
        wait_for_start()
        for number in range(int(operations)):
            call, key = chance.choice(sorted(CALLS)), chance.randrange(REGISTERS)
            kind, run = CALLS[call]
            begin = time.monotonic()
            seen = run(memory, key, f"{name}-{number}")
            line = {"register": f"{kind} {key}", "begin": begin, "end": time.monotonic(), **seen}
            print(json.dumps(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
