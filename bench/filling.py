"""Create large memories quickly.

Facts are stored by `remember_many`. Vectors are stored with the statements of the embedding thread,
in larger batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import erstwhile
from erstwhile import Memory
from erstwhile.core.clock import SystemClock
from erstwhile.core.ports import Embedder, Engine, Row
from erstwhile.core.scope import Viewer
from erstwhile.core.settings import Settings
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.recall.stored_models import (
    StoredModel,
    describe_model,
    register_model,
    store_vectors,
)
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

CHUNK = 5_000
_SETTINGS = Settings(synchronous="NORMAL")


def fill(path: Path, users: dict[str, Sequence[str]], embedder: Embedder) -> Path:
    """Create a memory with the facts of these users, each user spread evenly over the file."""
    with erstwhile.open(path, embedder="none", settings=_SETTINGS) as memory:
        remember(memory, users)
    with closing(SqliteEngine(path, synchronous="NORMAL")) as engine:
        embed(engine, embedder)
    return path


def remember(memory: Memory, users: dict[str, Sequence[str]]) -> None:
    longest = max(len(texts) for texts in users.values())
    steps = -(-longest // CHUNK)
    for step in range(steps):
        for user, texts in users.items():
            memory.scoped(user=user).remember_many(_share(texts, step, steps))


def embed(engine: Engine, embedder: Embedder) -> None:
    access = Access(engine, SystemClock(), Viewer(), LazyAnalyser())
    known = describe_model(access, embedder)
    model = access.change(lambda unit: register_model(unit, known))
    for rows in _waiting(access, model):
        _write(access, model, rows, embedder)


def _share(texts: Sequence[str], step: int, steps: int) -> Sequence[str]:
    return texts[len(texts) * step // steps : len(texts) * (step + 1) // steps]


def _waiting(access: Access, model: StoredModel) -> Iterator[list[Row]]:
    params = {"embedder": model.id, "after": 0, "limit": CHUNK}
    while rows := access.ask(lambda view: view.rows("texts_without_vector", params)):
        yield rows
        params["after"] = rows[-1][0]


def _write(access: Access, model: StoredModel, rows: list[Row], embedder: Embedder) -> None:
    vectors = embedder.embed([row[2] for row in rows])

    def written(unit: Unit) -> None:
        store_vectors(unit, model, rows, vectors)
        for row in rows:
            unit.run("dequeue", {"seq": row[0]})

    access.change(written)
