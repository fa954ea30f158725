"""Changing the embedder while the memory is in use.

The new model's vectors are made beside the old ones, which go on serving. When every fact has one,
the new model takes over and the old vectors go, in one transaction. Stopped half-way, it goes on
where it was: what has a vector of the new model is not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.ports import Embedder, Row
from erstwhile.core.scope import SHARED
from erstwhile.core.time import to_micros
from erstwhile.recall.embedding import BATCH, Model, described, embedded, register, store
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOWEST = -(2**62)
"""Before the number of every decision, which are negative, and of every fact."""
Progress = Callable[[int, int], None]
"""Told how many facts have the new vector, and how many there are."""


def reembed(access: Access, embedder: Embedder | None, progress: Progress | None) -> int:
    """Give every fact a vector of this process's model, and let it serve; how many were made."""
    if embedder is None:
        raise InvalidInputError("no embedder is set", remedy="choose one with the setting embedder")
    if access.viewer.scope != SHARED:
        raise ScopeError(
            "reembedding is about the whole store, and this memory sees a part of it",
            remedy="call it on the memory that `open` returned",
        )
    known = described(access, embedder)
    model = access.change(lambda unit: register(unit, known))
    total = access.ask(lambda view: int(view.rows("count_texts", {})[0][0]))
    there = access.ask(lambda view: int(view.rows("count_vectors", {"embedder": model.id})[0][0]))
    made, after = 0, LOWEST
    tell = progress or _silently
    tell(there, total)
    while rows := _missing(access, model, after):
        _write(access, model, rows, embedded(embedder, [row[2] for row in rows], model.dimensions))
        made, after = made + len(rows), rows[-1][0]
        tell(there + made, total)
    access.change(lambda unit: _take_over(unit, model), alone=True)
    return made


def _silently(_done: int, _total: int) -> None:
    """Nobody asked."""


def _missing(access: Access, model: Model, after: int) -> list[Row]:
    wanted = {"embedder": model.id, "after": after, "limit": BATCH}
    return access.ask(lambda view: view.rows("texts_without_vector", wanted))


def _write(access: Access, model: Model, rows: list[Row], vectors: NDArray[np.float32]) -> None:
    """What gave no usable vector waits in the outbox like any other failure."""

    def written(unit: Unit) -> None:
        _enqueue(unit, store(unit, model, rows, vectors))

    access.change(written)


def _enqueue(unit: Unit, seqs: list[int]) -> None:
    for seq in seqs:
        unit.send("enqueue", {"seq": seq, "due_at": to_micros(unit.now)})


def _take_over(unit: Unit, model: Model) -> None:
    """Facts that came in meanwhile are embedded from the outbox, by the new model."""
    unit.send("serve", {"id": model.id})
    unit.send("drop_vectors", {})
    unit.send("drop_embedders", {})
    after = LOWEST
    while rows := unit.rows(
        "texts_without_vector", {"embedder": model.id, "after": after, "limit": 1_000}
    ):
        _enqueue(unit, [row[0] for row in rows])
        after = rows[-1][0]
