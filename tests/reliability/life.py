"""A life of a memory: changes of many kinds, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import erstwhile
from erstwhile import Memory


def opened(file: Path, synchronous: str = "FULL") -> Memory:
    """Open a memory without a model."""
    settings = erstwhile.Settings(embedder="none", synchronous=synchronous, busy_timeout=60)
    return erstwhile.open(file, settings=settings)


def steps(memory: Memory, chance: Random) -> Iterator[Callable[[], object]]:
    """Yield changes without end; each is acknowledged when it returns."""
    ana = memory.scoped(user="ana")
    ana.blocks.add("notes", "begin", limit_tokens=100_000)
    number = 0
    while True:
        number += 1
        yield from _round(ana, chance, number)


def _round(ana: Memory, chance: Random, number: int) -> Iterator[Callable[[], object]]:
    long = "long " * chance.randrange(1, 2_000)
    yield lambda: ana.remember(f"fact {number} {long}", tags=["a"], entities=["Ana"])
    yield lambda: ana.facts.set("number", f"{number}")
    yield lambda: ana.blocks.append("notes", f"line {number}")
    yield lambda: ana.remember_many([f"{number} of {each}" for each in range(5)])
    yield lambda: ana.conversations.add("user", f"message {number}")
    newest = ana.facts.list(limit=5)
    yield lambda: ana.facts.replace(newest[0].id, f"instead {number}", reason="new")
    yield lambda: ana.facts.delete(newest[1].id)
    yield lambda: ana.snapshots.create(f"snapshot {number}")
    yield lambda: ana.tasks.add(f"task {number}")
    if number % 3 == 0:
        yield lambda: ana.snapshots.restore(f"snapshot {number - 1}")
    if number % 4 == 0:
        yield lambda: ana.facts.erase(newest[2].id)
