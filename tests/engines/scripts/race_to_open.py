"""Let processes open a new file at the very same moment, round after round; prints what failed.

Arguments: a folder, how many rounds, how many processes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import erstwhile
from tests.engines.scripts.watched_vfs import WatchedVfs

HEAD_START = 0.02


def open_at(moment: float, file: Path) -> str:
    time.sleep(max(0, moment - time.monotonic()))
    try:
        erstwhile.open(file).close()
    except Exception as error:
        return repr(error)
    return ""


def race(file: Path, processes: int) -> list[str]:
    moment = time.monotonic() + HEAD_START
    reading, writing = os.pipe()
    children = []
    for _ in range(processes):
        child = os.fork()
        if not child:
            os.write(writing, open_at(moment, file).encode() + b"\n")
            os._exit(0)
        children.append(child)
    os.close(writing)
    for child in children:
        os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return [line for line in pipe.read().splitlines() if line]


def main(folder: str, rounds: str, processes: str) -> None:
    held = WatchedVfs(sync=False)  # also loads SQLite before the first fork
    files = [Path(folder) / f"{number}.db" for number in range(int(rounds))]
    print(json.dumps([failure for file in files for failure in race(file, int(processes))]))
    del held


if __name__ == "__main__":
    main(*sys.argv[1:])
