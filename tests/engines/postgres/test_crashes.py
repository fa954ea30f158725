"""Crashes of the server under load: acknowledged changes are there once, refused ones are not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event
from typing import Protocol

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.operations import store
from tests.contracts.base import texts
from tests.engines.postgres.cluster import REASON, VARIABLE, running_cluster
from tests.engines.postgres.server import running

CRASHES = int(os.environ.get("CRASHES_FOR_TESTS", "4"))
"""The long run for the figures in the docs has 50, with 1,000 changes between two of them."""
WRITERS = 8
PER_CRASH = int(os.environ.get("CHANGES_PER_CRASH", "120"))
"""The changes that are acknowledged between two crashes."""


class Crashing(Protocol):
    """One server, or one of several after the other."""

    def crash(self) -> None: ...
    def start(self) -> None: ...


Place = tuple[Crashing, str]
"""What crashes, and the address of its database."""


def _plain() -> Iterator[Place]:
    with running({"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}) as server:
        yield server, server.url


def _distributed() -> Iterator[Place]:
    if VARIABLE not in os.environ:
        pytest.skip(REASON)
    with running_cluster() as cluster:
        url = cluster.database("memory")
        store.distribute(url)
        yield cluster, url


@pytest.fixture(scope="module", params=[_plain, _distributed])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from request.param()


class Writer:
    """Stores facts until it is stopped, and notes what became of each."""

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory, self._name = memory.scoped(user=name), name
        self.stored, self.refused, self.uncertain = list[str](), list[str](), list[str]()

    def write(self, stop: Event) -> None:
        number = 0
        while not stop.is_set():
            text = f"{self._name} {number}"
            number += 1
            try:
                self._memory.remember(text)
            except erstwhile.UncertainError:
                self.uncertain.append(text)
            except erstwhile.UnavailableError:
                self.refused.append(text)
            else:
                self.stored.append(text)

    def there(self) -> list[str]:
        """Return the texts of all stored facts, with repeats."""
        facts = self._memory.facts.list(limit=1000)
        found = list(facts)
        while facts.next is not None:
            facts = self._memory.facts.list(limit=1000, cursor=facts.next)
            found += facts
        assert all(fact.evidence == 1 for fact in found), "nothing was stored twice"
        return texts(found)


@contextmanager
def writing(url: str, space: str) -> Iterator[list[Writer]]:
    """Let several threads write meanwhile; then compare what is stored with what they were told."""
    engine = PostgresEngine(url, space=space, busy_timeout=60.0)
    with closing(assemble(engine, SystemClock(), Viewer())) as memory:
        writers = [Writer(memory, f"writer {number}") for number in range(WRITERS)]
        stop = Event()
        with ThreadPoolExecutor(WRITERS) as pool:
            running_writers = [pool.submit(writer.write, stop) for writer in writers]
            try:
                yield writers
            finally:
                stop.set()
            for each in running_writers:
                each.result(timeout=120)
        check(writers)
        assert memory.everything().audit.verify().ok


def test_no_acknowledged_change_is_lost_in_a_crash(place: Place) -> None:
    server, url = place
    with writing(url, "crash") as writers:
        for _ in range(CRASHES):
            wait_for(writers, PER_CRASH)
            server.crash()
            server.start()
        wait_for(writers, WRITERS)


def check(writers: list[Writer]) -> None:
    """Compare what is stored with what the writers were told. `pytest -s` shows the figures."""
    for writer in writers:
        there = writer.there()
        assert len(there) == len(set(there))
        assert set(writer.stored) <= set(there), "an acknowledged change was lost"
        assert not set(writer.refused) & set(there), "a refused change is there"
        assert set(there) <= {*writer.stored, *writer.uncertain}
    told = {
        name: sum(len(getattr(writer, name)) for writer in writers)
        for name in ("stored", "refused", "uncertain")
    }
    print(f"{told}, lost 0, twice 0")


def wait_for(writers: list[Writer], more: int) -> None:
    """Wait until so many more changes were acknowledged."""
    wanted = sum(len(writer.stored) for writer in writers) + more
    waited = Event()
    for _ in range(2400):
        if sum(len(writer.stored) for writer in writers) >= wanted:
            return
        waited.wait(0.05)
    raise TimeoutError("the writers stored too little within two minutes")
