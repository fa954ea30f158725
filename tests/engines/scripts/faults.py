"""Let one call to the file system fail, each in turn, while a memory is opened and written.

Arguments: a folder, and which: `full` or `write` (a write fails so), or `sync`. Prints the kinds of
errors that were raised, and what was unsound afterwards.
"""

from __future__ import annotations

import json
import sys
from itertools import count
from pathlib import Path

import apsw

import erstwhile
from tests.engines.scripts.watched_vfs import WatchedVfs

CODES = {
    "full": apsw.SQLITE_FULL,
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
}


class Fault:
    """A fault that is raised once, at the n-th call."""

    def __init__(self, code: int, place: int) -> None:
        self._code = code
        self.left = place

    def __call__(self, _: str) -> None:
        self.left -= 1
        if not self.left:
            raise apsw.exception_for(self._code)


def use(file: Path) -> None:
    memory = erstwhile.open(file)
    try:
        one = memory.remember("one", tags=["a"])
        memory.remember("long " * 2_000)
        memory.facts.replace(one.id, "two")
    finally:
        memory.close()


def unsound(file: Path) -> list[str]:
    with erstwhile.open(file) as memory:
        memory.remember("it can be written")
        return list(memory.audit.verify().problems)


def main(folder: str, which: str) -> None:
    vfs = WatchedVfs(sync=False)
    errors: list[str] = []
    problems: list[str] = []
    for place in count(1):
        file, fault = Path(folder) / f"{place}.db", Fault(CODES[which], place)
        vfs.on_write, vfs.on_sync = (len, fault) if which == "sync" else (fault, len)
        try:
            use(file)
        except erstwhile.ErstwhileError as error:
            errors.append(type(error).__name__)
        vfs.on_write = vfs.on_sync = len
        problems += unsound(file)
        if fault.left > 0:
            break
    print(json.dumps({"errors": errors, "unsound": problems}))


if __name__ == "__main__":
    main(*sys.argv[1:])
