"""Four processes remember the same facts in one file at once; nothing is lost or duplicated.

Prints:
    50 facts, each heard 4 times
    the trail has 200 entries and is whole: True
"""

from __future__ import annotations

from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import erstwhile

WORKERS, FACTS = 4, 50


def work(file: Path) -> None:
    """Open the file in this process, and store the facts."""
    with erstwhile.open(file) as memory:
        for number in range(FACTS):
            memory.remember(f"Observation {number}")


def start_together(file: Path) -> None:
    workers = [get_context("spawn").Process(target=work, args=[file]) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main() -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "shared.db")
        start_together(file)
        with erstwhile.open(file) as memory:
            heard = {fact.evidence for fact in memory.facts.list(limit=1000)}
            print(f"{memory.facts.count()} facts, each heard {heard.pop()} times")
            trail = memory.audit.verify()
            print(f"the trail has {trail.entries} entries and is whole: {trail.ok}")


if __name__ == "__main__":
    main()
