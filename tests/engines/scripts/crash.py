"""Die in the middle of a memory's first steps, at one place after another, and look what is left.

Arguments: a folder, and `statement` or `write`: whether to die before the n-th statement that
SQLite runs, or before the n-th write to a file. For each place a line of JSON is printed: how many
steps had been acknowledged, and what the file then holds. The last line is of a full life.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import apsw

import erstwhile
from tests.engines.scripts.watched_vfs import WatchedVfs

SURVIVED, DIED = 0, 17


def first_steps(file: Path, acknowledge: Callable[[], object]) -> None:
    memory = erstwhile.open(file)
    one = memory.remember("one", entities=["Ana"], tags=["a"])
    acknowledge()
    memory.facts.replace(one.id, "two")
    acknowledge()
    memory.facts.erase(one.id)
    acknowledge()
    memory.remember("three")
    acknowledge()
    memory.close()


def dying_at(place: int) -> Callable[..., bool]:
    """Return a function that ends the process at its n-th call."""
    left = [place]

    def visit(*_: object) -> bool:
        left[0] -= 1
        if not left[0]:
            os._exit(DIED)
        return True

    return visit


def arm(vfs: WatchedVfs, what: str, place: int) -> None:
    visit = dying_at(place)
    if what == "write":
        vfs.on_write = visit
        return

    def trace(connection: apsw.Connection) -> None:
        connection.exec_trace = visit

    apsw.connection_hooks.append(trace)


def live_and_die(file: Path, vfs: WatchedVfs, what: str, place: int) -> tuple[int, int]:
    """Return how the process ended, and how many steps it had acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        arm(vfs, what, place)
        first_steps(file, lambda: os.write(writing, b"."))
        os._exit(SURVIVED)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return os.waitstatus_to_exitcode(status), len(pipe.read())


def look(file: Path) -> dict[str, object]:
    with erstwhile.open(file) as memory:
        holds = sorted(fact.text for fact in memory.facts.list(state="any"))
        memory.remember("it can be written")
        return {"holds": holds, "problems": memory.audit.verify().problems}


def main(folder: str, what: str) -> None:
    # What a dead process wrote is with the system already: syncs make no difference here.
    vfs = WatchedVfs(sync=False)
    place, ended = 1, DIED
    while ended == DIED:
        file = Path(folder) / f"{place}.db"
        ended, acknowledged = live_and_die(file, vfs, what, place)
        print(json.dumps({"acknowledged": acknowledged, **look(file)}))
        # The first opening at every place; later on there are many that are alike.
        place += 3 if acknowledged and what == "write" else 1
    assert ended == SURVIVED, ended


if __name__ == "__main__":
    main(*sys.argv[1:])
