"""The base class of all contracts: a memory on the engine under test, and its clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from erstwhile.adapters.tokenizers import ESTIMATED
from erstwhile.bootstrap import assemble
from erstwhile.core.background import HealthRegistry
from erstwhile.core.ports import Clock, Embedder, Engine
from erstwhile.core.public_record import to_json
from erstwhile.core.results import Item, Page
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.core.settings import EMBEDDER_WAIT, IDLE
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit
from erstwhile.recall.service import RecallService
from erstwhile.recall.usage_recorder import UsageRecorder
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.testing.clock import FakeClock
from erstwhile.usage.prices import load_prices

input_check = pytest.mark.input_check
"""Marks a test of input that is refused before any engine sees it. It runs on one engine."""
RECORDS = ("outcomes", "lessons", "observations", "limitations", "usage")


class Contract:
    """A group of tests. The module of an engine supplies the fixture `engine`."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        return assemble(engine, clock, Viewer())


def embedding_memory(
    engine: Engine, clock: Clock, embedder: Embedder | None, *, wait: float = EMBEDDER_WAIT
) -> Memory:
    """Create a memory with an embedder and without threads: only `flush` embeds."""
    access = Access(engine, clock, Viewer(), LazyAnalyser())
    stages = HealthRegistry(clock)
    services = Services(
        recall=RecallService(lambda: embedder, stages.embedder, wait),
        usage_recorder=UsageRecorder(access, stages.usage),
        background=stages,
        tokenizers=ESTIMATED,
        idle=IDLE,
        prices=load_prices,
        admission=lambda _access: lambda draft: draft,
    )
    return Memory(access, services)


def inside(memory: Memory) -> Access:
    """Return the access of a memory, for contracts about steps without a public verb."""
    return memory._access


def found(hits: Iterable[Hit]) -> list[str]:
    return [hit.fact.text for hit in hits]


def told(value: object) -> str:
    """Return all that a result tells, in every field: its own `repr` leaves out the most."""
    try:
        return repr(to_json(value))
    except TypeError:  # another view of a memory, or a type in an error
        return repr(value)


def texts(facts: Iterable[Fact]) -> list[str]:
    return [fact.text for fact in facts]


def remember_in_parts(memory: Memory, said: Iterable[str]) -> list[Fact]:
    """Store many facts: a server takes 500 at once."""
    items = list(said)
    parts = (items[begin : begin + 500] for begin in range(0, len(items), 500))
    return [fact for part in parts for fact in memory.remember_many(part)]


def paged(ask: Callable[..., Page[Item]]) -> list[Item]:
    """Return all items of a list, read in small pages."""
    items: list[Item] = []
    cursor: str | None = None
    while True:
        page = ask(limit=2, cursor=cursor)
        items += page
        cursor = page.next
        if cursor is None:
            return items
        assert len(page) == 2


def contents(memory: Memory) -> tuple[Any, ...]:
    """Return everything visible: facts, blocks, records, also deleted ones, and the audit trail."""
    return (
        memory.facts.list(state="any", limit=1_000),
        memory.facts.list(deleted=True, limit=1_000),
        memory.audit.list(limit=1_000),
        memory.entities.list(limit=1_000),
        memory.blocks.list(limit=1_000),
        memory.decisions.list(limit=1_000),
        memory.audit.verify(),
        memory.conversations.list(limit=1_000),
        memory.conversations.list(deleted=True, limit=1_000),
        memory.sessions.list(limit=1_000),
        memory.conflicts.list(limit=1_000),
        memory.conflicts.list(settled=True, limit=1_000),
        memory.tasks.list(ended=True, limit=1_000),
        memory.tasks.list(deleted=True, limit=1_000),
        memory.checkpoints.runs(limit=1_000),
        memory.checkpoints.runs(deleted=True, limit=1_000),
        memory.snapshots.list(limit=1_000),
        memory.snapshots.list(deleted=True, limit=1_000),
        *(getattr(memory, name).list(limit=1_000) for name in RECORDS),
        *(getattr(memory, name).list(deleted=True, limit=1_000) for name in RECORDS),
    )


@contextmanager
def unchanged(memory: Memory) -> Iterator[None]:
    """Assert that the block changes nothing; for a memory without a scope, in any scope."""
    view = memory.everything() if memory.scope == SHARED else memory
    before = contents(view)
    yield
    assert contents(view) == before
