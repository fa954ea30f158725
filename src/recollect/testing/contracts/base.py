"""What the contracts have in common: a memory on the back end's engine, and its clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from recollect.adapters.tokens.named import ESTIMATED
from recollect.bootstrap import assemble
from recollect.memory import Memory
from recollect.model.defaults import IDLE
from recollect.model.fact import Fact
from recollect.model.page import Item, Page
from recollect.model.prices import load_prices
from recollect.model.recall import Hit
from recollect.model.scope import SHARED, Viewer
from recollect.pipeline.means import Means, no_llm
from recollect.pipeline.parts import Parts
from recollect.pipeline.searching import Searching
from recollect.pipeline.uses import Uses
from recollect.ports import Clock, Embedder, Engine
from recollect.search import analysis
from recollect.store.access import Access
from recollect.testing.clock import FakeClock

RECORDS = ("outcomes", "lessons", "observations", "limitations", "usage")


class Contract:
    """The back end's test module supplies the fixture `engine`; the rest is made here."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        return assemble(engine, clock, Viewer())


def embedding_memory(engine: Engine, clock: Clock, embedder: Embedder | None) -> Memory:
    """A memory with an embedder and no thread of its own: `flush` says when it embeds."""
    access = Access(engine, clock, Viewer(), analysis.terms)
    searching = Searching(lambda: embedder)
    parts = Parts(
        searching=searching,
        means=Means(searching=searching, llm=no_llm, prices=load_prices),
        uses=Uses(access),
        tokenizers=ESTIMATED,
        idle=IDLE,
    )
    return Memory(access, parts)


def inside(memory: Memory) -> Access:
    """What the collections of a memory work with, for contracts about steps that none offers."""
    return memory._access  # noqa: SLF001


def found(hits: Iterable[Hit]) -> list[str]:
    return [hit.fact.text for hit in hits]


def texts(facts: Iterable[Fact]) -> list[str]:
    return [fact.text for fact in facts]


def paged(ask: Callable[..., Page[Item]]) -> list[Item]:
    """All that a list gives, asked for in small pages."""
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
    """All that can be seen: facts, blocks, records, the deleted ones too, the audit trail."""
    return (
        memory.facts.list(state="any", limit=1_000),
        memory.facts.list(state="deleted", limit=1_000),
        memory.audit.list(limit=1_000),
        memory.entities.list(limit=1_000),
        memory.blocks.list(limit=1_000),
        memory.decisions.list(limit=1_000),
        memory.audit.verify(),
        memory.conversations.list(limit=1_000),
        memory.conversations.list(status="deleted", limit=1_000),
        memory.sessions.list(limit=1_000),
        memory.conflicts.list(limit=1_000),
        memory.conflicts.list(settled=True, limit=1_000),
        memory.tasks.list(ended=True, limit=1_000),
        memory.tasks.list(deleted=True, limit=1_000),
        memory.checkpoints.runs(limit=1_000),
        memory.checkpoints.runs(deleted=True, limit=1_000),
        *(getattr(memory, name).list(limit=1_000) for name in RECORDS),
        *(getattr(memory, name).list(deleted=True, limit=1_000) for name in RECORDS),
    )


@contextmanager
def unchanged(memory: Memory) -> Iterator[None]:
    """What happens inside must leave no trace; for a memory without a scope, in none of them."""
    view = memory.everything() if memory.scope == SHARED else memory
    before = contents(view)
    yield
    assert contents(view) == before
