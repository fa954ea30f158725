"""A program pays for what it uses: what opening a memory and the first calls load, by name."""

from __future__ import annotations

from functools import cached_property
from threading import Barrier, Thread

import pytest

import recollect
from recollect.holdings import Holdings
from recollect.testing.surface import collections_of
from tests.loaded import loaded

COLLECTIONS = sorted(
    name for name, part in vars(Holdings).items() if isinstance(part, cached_property)
)
HOMES = {f"recollect.{layer}.{name}" for layer in ("store", "pipeline") for name in COLLECTIONS}
HEAVY = {
    "asyncio", "bpe_openai", "click", "dateutil", "decimal", "email", "http", "httpx", "numpy",
    "importlib.resources", "openai", "rich", "snowballstemmer", "ssl", "zoneinfo",
}  # fmt: skip
LATER = {
    "recollect.aio", "recollect.model.context", "recollect.model.conversation",
    "recollect.model.decision", "recollect.model.prices", "recollect.model.task",
    "recollect.pipeline.draining", "recollect.pipeline.guard", "recollect.pipeline.patterns",
}  # fmt: skip
OPEN = "import recollect; memory = recollect.open(':memory:', embedder='none')"


def test_opening_loads_no_collection_and_nothing_heavy() -> None:
    names = loaded(f"{OPEN}; memory.scoped(user='ana').close()")
    assert {"apsw", "recollect.memory"} <= names
    assert not names & (HEAVY | LATER | HOMES)
    assert not names & {"recollect.model.recall", "recollect.search.analysis"}


def test_remembering_and_recalling_load_no_collection_and_nothing_heavy() -> None:
    """Without an embedder no numpy, and of the stemmers the English one."""
    names = loaded(f"{OPEN}; memory.remember('I like tea'); assert memory.recall('tea')")
    assert "recollect.pipeline.recall" in names
    assert not names & (HEAVY | LATER | HOMES)
    assert not [name for name in names if name.endswith("german_stemmer")]


@pytest.mark.parametrize("name", ["facts", "blocks", "sessions"])
def test_a_collection_loads_itself_and_no_other(name: str) -> None:
    names = loaded(f"{OPEN}; memory.{name}.list()")
    assert names & HOMES == {f"recollect.store.{name}"}
    assert not names & HEAVY


def test_a_public_name_loads_its_own_module() -> None:
    for name, absent in (("Settings", "recollect.memory"), ("NotFoundError", "recollect.config")):
        assert absent not in loaded(f"from recollect import {name}")


def test_the_collections_are_seen_before_they_are_used() -> None:
    """By `dir`, as editors and shells ask it, and alike in the memory for asyncio."""
    with recollect.open(":memory:", embedder="none") as memory:
        assert len(COLLECTIONS) == 20
        assert set(COLLECTIONS) <= set(dir(memory))
        assert not set(COLLECTIONS) & set(vars(memory))
        made = {name: type(part).__name__ for name, part in collections_of(memory).items()}
        assert made == {name: name.capitalize() for name in COLLECTIONS}
    parts = vars(recollect.AsyncMemory).items()
    held = [name for name, part in parts if isinstance(part, cached_property)]
    assert sorted(held) == COLLECTIONS


def test_a_collection_is_made_once() -> None:
    with recollect.open(":memory:", embedder="none") as memory:
        assert memory.facts is memory.facts
        assert memory.scoped(user="ana").facts is not memory.facts


def test_threads_may_use_a_collection_for_the_first_time_at_once() -> None:
    with recollect.open(":memory:", embedder="none") as memory:
        together, failures = Barrier(8), list[BaseException]()

        def use(number: int) -> None:
            try:
                together.wait()
                memory.blocks.create(f"b{number}", "text")
                memory.tasks.create(f"task {number}")
            except BaseException as error:
                failures.append(error)

        threads = [Thread(target=use, args=(number,)) for number in range(8)]
        for step in (Thread.start, Thread.join):
            for thread in threads:
                step(thread)
        assert not failures
        assert len(memory.blocks.list()) == len(memory.tasks.list()) == 8
