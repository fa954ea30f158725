"""Interrupt the main thread again and again while it and others write; prints what came of it.

Arguments: the file, and how many interrupts.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
from contextlib import suppress
from itertools import count

import erstwhile


class Writers:
    """Threads, the main one among them, that write without pause."""

    def __init__(self, memory: erstwhile.Memory) -> None:
        self.memory = memory
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self.stop = threading.Event()

    def write(self, who: str) -> None:
        for number in count():
            if self.stop.is_set():
                return
            self.acknowledged.append(self.memory.remember(f"{who} says {number}").id)

    def write_in_thread(self, who: str) -> None:
        try:
            self.write(who)
        except BaseException as error:
            self.errors.append(repr(error))

    def write_until_interrupted(self, who: str) -> None:
        with suppress(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0005, 0.005))
            self.write(who)


def facts_of(memory: erstwhile.Memory) -> list[erstwhile.Fact]:
    page = memory.facts.list(limit=200)
    found = list(page)
    while page.next:
        page = memory.facts.list(limit=200, cursor=page.next)
        found += page
    return found


def main(path: str, interrupts: str) -> None:
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    memory = erstwhile.open(
        path, settings=erstwhile.Settings(synchronous="NORMAL", embedder="none")
    )
    writers = Writers(memory)
    threads = [
        threading.Thread(target=writers.write_in_thread, args=(f"thread {number}",), daemon=True)
        for number in range(3)
    ]
    for thread in threads:
        thread.start()
    for number in range(int(interrupts)):
        writers.write_until_interrupted(f"main {number}")
    writers.stop.set()
    for thread in threads:
        thread.join(60)
    checked = memory.audit.verify()
    told = {
        "errors": writers.errors,
        "lost": [id for id in writers.acknowledged if memory.facts.get(id).id != id],
        "twice": checked.records - memory.facts.count(state="any"),
        "problems": checked.problems,
        "altered": len([each for each in facts_of(memory) if " says " not in each.text]),
    }
    memory.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
