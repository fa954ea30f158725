"""A program pays only for what it uses: the modules that the first calls load."""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from threading import Barrier, Thread

import pytest

import erstwhile
from erstwhile.lazy_collections import Lazy, LazyCollections
from tests.loaded_modules import loaded
from tests.surface import COLLECTIONS, collections_of

LAZY: dict[str, Lazy[object]] = {name: vars(LazyCollections)[name] for name in COLLECTIONS}
HOMES = {part.module for part in LAZY.values()}
HEAVY = {
    "asyncio", "bpe_openai", "click", "dateutil", "decimal", "email", "http", "httpx", "numpy",
    "importlib.resources", "openai", "rich", "snowballstemmer", "ssl", "zoneinfo",
}  # fmt: skip
LATER = {
    "erstwhile.aio", "erstwhile.context.model", "erstwhile.conversations.conversation",
    "erstwhile.decisions.decision", "erstwhile.usage.prices", "erstwhile.tasks.task",
    "erstwhile.learning.worker", "erstwhile.learning.guard", "erstwhile.learning.patterns",
    "erstwhile.tools.toolset",
}  # fmt: skip
OPEN = "import erstwhile; memory = erstwhile.open(':memory:', embedder='none')"


def test_the_modules_that_load_later_exist() -> None:
    """A renamed module must be renamed here; else the tests below could not fail."""
    assert all(find_spec(name) for name in LATER | HOMES)


def test_opening_loads_no_collection_and_nothing_heavy() -> None:
    names = loaded(f"{OPEN}; memory.scoped(user='ana').close()")
    assert {"apsw", "erstwhile.memory"} <= names
    assert not names & (HEAVY | LATER | HOMES)


def test_remembering_and_recalling_load_no_collection_and_nothing_heavy() -> None:
    names = loaded(f"{OPEN}; memory.remember('I like tea'); assert memory.recall('tea')")
    assert "erstwhile.recall.recall" in names
    assert not names & (HEAVY | LATER | HOMES)


def test_learning_by_rules_loads_no_numpy() -> None:
    turn = "memory.scoped(user='ana').observe_turn('I live in Rome.', 'Fine.', wait=True)"
    names = loaded(f"{OPEN}; {turn}")
    assert "erstwhile.learning.patterns" in names
    assert "numpy" not in names


@pytest.mark.parametrize("name", ["facts", "blocks", "sessions"])
def test_a_collection_loads_only_its_own_package(name: str) -> None:
    names, home = loaded(f"{OPEN}; memory.{name}.list()"), LAZY[name].module
    assert home in names
    assert {each.rpartition(".")[0] for each in names & HOMES} == {home.rpartition(".")[0]}
    assert not names & HEAVY


def test_a_public_name_loads_its_own_module() -> None:
    for name, absent in (
        ("Settings", "erstwhile.memory"),
        ("NotFoundError", "erstwhile.core.settings"),
    ):
        assert absent not in loaded(f"from erstwhile import {name}")


def test_the_collections_are_seen_before_they_are_used() -> None:
    """`dir` lists them for editors and shells. AsyncMemory has the same collections."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        assert len(COLLECTIONS) == 22
        assert set(COLLECTIONS) <= set(dir(memory))
        assert not set(COLLECTIONS) & set(vars(memory))
        made = {name: type(part).__name__ for name, part in collections_of(memory).items()}
        assert made == {name: name.capitalize() for name in COLLECTIONS}
    parts = vars(erstwhile.AsyncMemory).items()
    held = [name for name, part in parts if isinstance(part, cached_property)]
    assert sorted(held) == COLLECTIONS


def test_a_collection_is_made_once() -> None:
    with erstwhile.open(":memory:", embedder="none") as memory:
        assert memory.facts is memory.facts
        assert memory.scoped(user="ana").facts is not memory.facts


def test_threads_may_use_a_collection_for_the_first_time_at_once() -> None:
    with erstwhile.open(":memory:", embedder="none") as memory:
        together, failures = Barrier(8, timeout=60), list[BaseException]()

        def use(number: int) -> None:
            try:
                together.wait(60)
                memory.blocks.add(f"b{number}", "text")
                memory.tasks.add(f"task {number}")
            except BaseException as error:
                failures.append(error)

        threads = [Thread(target=use, args=(number,)) for number in range(8)]
        for step in (Thread.start, Thread.join):
            for thread in threads:
                step(thread)
        assert not failures
        assert len(memory.blocks.list()) == len(memory.tasks.list()) == 8
