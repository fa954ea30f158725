"""Power cuts: live once on a recorded disk, cut the power at many places, and look what is left.

A cut loses an acknowledged change if the file then holds an earlier state than the one at the last
acknowledgement. It may hold a later one: the change that was under way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

import apsw

from tests.reliability.memory_file import (
    NOTHING,
    Outcome,
    digest,
    opened,
    problems,
    scratch,
    steps,
)
from tests.reliability.recorded_disk import Call, Disk, RecordingVfs

FILE = "memory.db"
LOG_PAGES = 40
"""The log is moved into the file after so few pages, so that a short life does it often."""


@dataclass
class Recorded:
    """All calls of a life, and the places in it at which states were stored or acknowledged."""

    calls: list[Call] = field(default_factory=list)
    states: list[tuple[int, str]] = field(default_factory=lambda: [(0, NOTHING)])
    """The number of calls before a commit ended, and the digest of the state after it."""
    acknowledged: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    """The number of calls before an acknowledgement, and the number of the state then."""

    def commit(self, file: Path) -> None:
        state = digest(file)
        if state != self.states[-1][1]:
            self.states.append((len(self.calls), state))

    def acknowledge(self) -> None:
        self.acknowledged.append((len(self.calls), len(self.states) - 1))

    def expected(self, place: int) -> tuple[int, int]:
        """Return the numbers of the first and the last state that a cut at a place may leave."""
        known = bisect_left(self.acknowledged, (place + 1,)) - 1
        under_way = bisect_left(self.states, (place,))
        return self.acknowledged[known][1], min(under_way, len(self.states) - 1)


def record(folder: Path, synchronous: str, changes: int, seed: int) -> Recorded:
    """Live on a recorded disk for a number of changes."""
    told, file, vfs = Recorded(), folder / FILE, RecordingVfs()
    vfs.after = told.calls.append
    with _told_of_commits(told, file):
        memory = opened(file, synchronous=synchronous)
        told.acknowledge()
        for change in islice(steps(memory, Random(seed)), changes):
            change()
            told.acknowledge()
        memory.close()
    vfs.unregister()
    return told


def cut(told: Recorded, places: list[int], chance: Random) -> Outcome:
    """Cut the power at these places of a recorded life, and look at what is left."""
    result, disk, done = Outcome(), Disk(), 0
    for place in sorted(places):
        for call in told.calls[done:place]:
            disk.do(call)
        done = place
        with scratch() as folder:
            disk.cut(folder, chance)
            _look(folder / FILE, told, place, result)
    return result


def run(synchronous: str, *, lives: int, changes: int, cuts: int, seed: int) -> Outcome:
    """Record several lives, and cut each of them at random places."""
    total = Outcome()
    for life in range(lives):
        chance = Random(seed + life)
        with scratch() as folder:
            told = record(folder, synchronous, changes, seed + life)
        places = [chance.randrange(len(told.calls) + 1) for _ in range(cuts // lives)]
        total.add(cut(told, places, chance))
    return total


def _look(file: Path, told: Recorded, place: int, result: Outcome) -> None:
    result.tried += 1
    try:
        held = digest(file)
        found = problems(file)
    except Exception as error:  # whatever is raised, the file cannot be used
        found, held = [repr(error)], ""
    first, last = told.expected(place)
    states = [state for _, state in told.states]
    if not found and held not in states:
        found = ["it holds a state that never was"]
    result.broken += [f"cut at {place}: {each}" for each in found]
    result.lost += bool(not found and held not in states[first : last + 1])


@contextmanager
def _told_of_commits(told: Recorded, file: Path) -> Iterator[None]:
    """Note the state after each commit, and move the log into the file early."""

    def after_commit(connection: apsw.Connection, _name: str, pages: int) -> int:
        told.commit(file)
        if pages >= LOG_PAGES:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return apsw.SQLITE_OK

    def hook(connection: apsw.Connection) -> None:
        connection.set_wal_hook(after_commit)

    apsw.connection_hooks.append(hook)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(hook)
