"""Kill writers with SIGKILL, and compare what is stored with what they were told.

Arguments: a file or the address of a database, the number of kills, and a seed. It prints a line of
JSON. Several writers write at once. They are forked from this process, which has nothing open.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from random import Random
from typing import NamedTuple, NoReturn

from erstwhile import Memory
from tests.reliability.memory_file import Outcome, opened

WRITERS = 4
MAX_SECONDS = 0.2
"""The longest time between two kills, in seconds."""
WRITING = 0.8
"""The share of writers that are killed only after they were told something."""
PATIENCE = 10.0
REPEATED = "said by every writer"
BLOCK = "log"


class _Writer(NamedTuple):
    process: int
    told: int
    """The end of the pipe on which acknowledgements come."""


def run(place: str, space: str, kills: int, chance: Random) -> Outcome:
    """Let writers write, and kill one after another."""
    told: list[str] = []
    _load()
    _in_child(lambda: opened(place, space).blocks.add(BLOCK, limit_tokens=1_000_000).name)
    writers = [_start(place, space, f"{number}") for number in range(WRITERS)]
    for number in range(kills):
        writer = writers.pop(chance.randrange(WRITERS))
        if chance.random() < WRITING:
            select.select([writer.told], [], [], PATIENCE)
        time.sleep(chance.uniform(0.0, MAX_SECONDS))
        told += _end(writer)
        writers.append(_start(place, space, f"{number + WRITERS}"))
    for writer in writers:
        told += _end(writer)
    found = json.loads(_in_child(lambda: json.dumps(asdict(compare(place, space, told)))))
    return Outcome(**{**found, "tried": kills + WRITERS})


def _load() -> None:
    """Import what writers need once, so that they write soon after the fork."""
    with opened(":memory:", "main") as memory:
        memory.blocks.add(BLOCK)
        memory.blocks.append(BLOCK, "line")
        memory.remember(REPEATED)
        memory.facts.list(contains=REPEATED)


def _write(place: str, space: str, name: str, told: int) -> NoReturn:
    memory, number = opened(place, space), 0
    while True:
        number += 1
        token = f"{name}-{number}"
        kind = "line" if number % 3 == 0 else "same" if number % 5 == 0 else "fact"
        if kind == "line":
            memory.blocks.append(BLOCK, token)
        else:
            memory.remember(REPEATED if kind == "same" else token)
        os.write(told, f"{kind} {token}\n".encode())


def _start(place: str, space: str, name: str) -> _Writer:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        try:
            _write(place, space, name, writing)
        finally:
            os._exit(1)
    os.close(writing)
    return _Writer(process, reading)


def _end(writer: _Writer) -> list[str]:
    """Kill a writer; return what it was told. A writer that ended by itself is an error."""
    early = select.select([writer.told], [], [], 0)[0] and os.waitpid(writer.process, os.WNOHANG)[0]
    if early:
        raise RuntimeError("a writer ended by itself")
    os.kill(writer.process, signal.SIGKILL)
    os.waitpid(writer.process, 0)
    with os.fdopen(writer.told) as pipe:
        return [line.rstrip("\n") for line in pipe if line.endswith("\n")]


def compare(place: str, space: str, told: list[str]) -> Outcome:
    acknowledged = [line.split() for line in told]
    facts = {token for kind, token in acknowledged if kind == "fact"}
    lines = [token for kind, token in acknowledged if kind == "line"]
    same = sum(kind == "same" for kind, _ in acknowledged)
    with opened(place, space) as memory:
        stored = _texts(memory)
        written = memory.blocks.get(BLOCK).content.split()
        evidence = next((f.evidence for f in memory.facts.list(contains=REPEATED)), 0)
        broken = list(memory.everything().audit.verify().problems)
    lost = len(facts - stored.keys()) + len(set(lines) - set(written)) + max(0, same - evidence)
    if len(written) != len(set(written)) or any(count > 1 for count in stored.values()):
        broken.append("something is stored twice")
    return Outcome(done=len(told), lost=lost, broken=broken)


def _texts(memory: Memory) -> dict[str, int]:
    page = memory.facts.list(limit=1_000)
    found = {fact.text: fact.evidence for fact in page}
    while page.next is not None:
        page = memory.facts.list(limit=1_000, cursor=page.next)
        found |= {fact.text: fact.evidence for fact in page}
    return {text: count for text, count in found.items() if text != REPEATED}


def _in_child(work: Callable[[], str]) -> str:
    """Run something in a forked process, so that this one never has a memory open."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, work().encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        result = pipe.read()
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise RuntimeError("a process of the harness failed")
    return result


def main(place: str, space: str, kills: str, seed: str) -> None:
    print(json.dumps(asdict(run(place, space, int(kills), Random(int(seed))))))


if __name__ == "__main__":
    main(*sys.argv[1:])
