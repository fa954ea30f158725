"""The file of a memory in a trial: its folder, changes of many kinds, and checks of its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import apsw

import erstwhile
from erstwhile import Memory
from erstwhile.engines.sqlite.pages import damages

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  each folder in it is private


@dataclass
class Outcome:
    """The result of a trial."""

    tried: int = 0
    lost: int = 0
    """Acknowledged changes that are missing, or power cuts that lost one."""
    broken: list[str] = field(default_factory=list)
    done: int = 0
    """Acknowledged changes."""
    errors: Counter[str] = field(default_factory=Counter)
    """The errors that changes raised; a fault in a checkpoint raises none."""

    def add(self, other: Outcome) -> None:
        self.tried += other.tried
        self.lost += other.lost
        self.broken += other.broken
        self.done += other.done
        self.errors += other.errors


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty folder, in the memory of the machine if possible: no trial needs a disk."""
    parent = _IN_MEMORY if _IN_MEMORY.is_dir() else None
    with TemporaryDirectory(dir=parent, prefix="reliability-") as folder:
        yield Path(folder)


def opened(place: Path | str, space: str = "main", synchronous: str = "FULL") -> Memory:
    settings = erstwhile.Settings(
        embedder="none", busy_timeout=60, space=space, synchronous=synchronous
    )
    return erstwhile.open(place, settings=settings)


def steps(memory: Memory, chance: Random) -> Iterator[Callable[[], object]]:
    """Yield changes without end; each is acknowledged when it returns."""
    ana = memory.scoped(user="ana")
    ana.blocks.add("notes", "begin", limit_tokens=100_000)
    for number in count(1):
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


NOTHING = "nothing"
"""The digest of a file in which no memory has begun."""
_TABLES = (
    "facts", "fact_versions", "fact_tags", "relations", "blocks", "block_versions",
    "conversations", "messages", "tasks", "snapshots", "audit", "passages",
)  # fmt: skip


_CHECK_TERMS = "INSERT INTO passage_terms (passage_terms) VALUES ('integrity-check')"


def digest(file: Path) -> str:
    """Return a digest of all rows that people and audits see."""
    if not file.exists():
        return NOTHING
    with closing(apsw.Connection(str(file))) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'audit'").fetchall():
            return NOTHING
        digested = sha256()
        for table in _TABLES:
            rows = f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4"  # noqa: S608  our own names
            for row in connection.execute(rows):
                digested.update(repr(row).encode())
        return digested.hexdigest()


def problems(file: Path) -> list[str]:
    """Return what is unsound: pages, references, full text, the audit trail, the next write."""
    with opened(file) as memory:
        found = [*memory.everything().audit.verify().problems]
        text = memory.remember("it can be written").text
        found += [] if memory.recall("written")[0].fact.text == text else ["recall fails"]
    with closing(apsw.Connection(str(file))) as connection:
        found += damages(connection)
        try:
            connection.execute(_CHECK_TERMS)
        except apsw.Error as error:
            found.append(f"full text: {error}")
    return found
