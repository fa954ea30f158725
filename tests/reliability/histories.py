"""Check the recorded history of many processes: as if all calls had happened one after the other.

Each record is a register. The store gives each of its changes a time, so the order of the changes
is known. It must fit the real time of the calls, each change must follow from the one before, and
a read must see a state that was the last one at some moment between its begin and its end.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from tests.engines.processes import together
from tests.reliability.contender import REFUSED, REGISTERS
from tests.reliability.kills import opened


@dataclass(frozen=True)
class Event:
    """A call: its begin and end, and what it returned; `at` is the time of its change."""

    register: str
    begin: float
    end: float
    seen: Any = None
    at: str | None = None


@dataclass
class History:
    """The result of many processes at once."""

    processes: int = 0
    operations: int = 0
    changes: int = 0
    broken: list[str] = field(default_factory=list)


def run(place: str, space: str, *, processes: int, operations: int, seed: int) -> History:
    """Let processes contend, and check what they saw."""
    with opened(place, space) as memory:
        for key in range(REGISTERS):
            memory.blocks.add(f"block {key}", "begin")
    arguments = [(place, space, f"p{number}", operations, seed) for number in range(processes)]
    printed = together("tests.reliability.contender", *arguments)
    events = [Event(**json.loads(line)) for lines in printed for line in lines[-operations:]]
    result = History(processes, len(events), sum(event.at is not None for event in events))
    result.broken = list(check(events))
    with opened(place, space) as memory:
        result.broken += memory.everything().audit.verify().problems
    return result


def check(events: list[Event]) -> Iterator[str]:
    """Yield what is wrong with a history."""
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
    """Return the state of a register at the beginning."""
    return {"block": [1, "begin"], "count": 0, "key": None}[name.split()[0]]


def _follows(name: str, state: Any, following: Any) -> bool:
    match name.split()[0]:
        case "block":
            return bool(following[0] == state[0] + 1)
        case "count":
            return bool(following == state + 1)
    return True
