"""Count how often the log is synced while threads remember facts; prints writes and syncs.

Arguments: the file, the synchronous setting, how many threads, how many facts each.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import erstwhile
from tests.engines.scripts.watched_vfs import WatchedVfs

_SYNC_TAKES = 0.002
"""As a disk does: what arrives in the meantime can be written together."""


def main(path: str, synchronous: str, threads: str, each: str) -> None:
    synced: list[str] = []

    def on_sync(name: str) -> None:
        synced.append(name)
        time.sleep(_SYNC_TAKES)

    held = WatchedVfs(on_sync=on_sync)
    settings = erstwhile.Settings(synchronous=synchronous, embedder="none")
    # Making the tables fills the log far enough for a checkpoint, which syncs as well.
    erstwhile.open(path, settings=settings).close()
    with erstwhile.open(path, settings=settings) as memory:
        memory.remember("the first write also syncs the head of the log")
        synced.clear()

        def write(thread: int) -> None:
            for number in range(int(each)):
                memory.remember(f"thread {thread} says {number}")

        with ThreadPoolExecutor(int(threads)) as pool:
            list(pool.map(write, range(int(threads))))
        log = sum(name.endswith("-wal") for name in synced)
        count, sound = memory.facts.count() - 1, memory.audit.verify().ok
    print(json.dumps({"facts": count, "log_syncs": log, "verified": sound}))
    del held


if __name__ == "__main__":
    main(*sys.argv[1:])
