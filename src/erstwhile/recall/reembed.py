"""Change the embedder while the memory is in use.

The vectors of the new model are stored beside the old ones, which still serve. When every text has
a new vector, the new model takes over and the old vectors are deleted, in one transaction. An
interrupted run continues later: texts with a new vector are not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.ports import Embedder, Row
from erstwhile.core.scope import SHARED
from erstwhile.core.time import to_micros
from erstwhile.recall.embedder_calls import embed_texts
from erstwhile.recall.embedding import BATCH
from erstwhile.recall.stored_models import (
    StoredModel,
    describe_model,
    register_model,
    store_vectors,
)
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOWEST = -(2**62)
"""A number below those of all decisions, which are negative, and of all facts."""
Progress = Callable[[int, int], None]
"""Called with the number of texts that have a new vector, and the number of all texts."""


def reembed(access: Access, embedder: Embedder | None, progress: Progress | None) -> int:
    """Embed every text with the model of this process, and let it serve; return the number."""
    if embedder is None:
        raise InvalidInputError("no embedder is set", remedy="choose one with the setting embedder")
    if access.viewer.scope != SHARED:
        raise ScopeError(
            "reembedding changes the whole store, and this memory sees only a part of it",
            remedy="call it on the memory that `open` returned",
        )
    known = describe_model(access, embedder)
    model = access.change(lambda unit: register_model(unit, known))
    total = access.ask(lambda view: int(view.rows("count_texts", {})[0][0]))
    there = access.ask(lambda view: int(view.rows("count_vectors", {"embedder": model.id})[0][0]))
    made, after = 0, LOWEST
    report = progress or _ignore
    report(there, total)
    while rows := _missing(access, model, after):
        vectors = embed_texts(embedder, [row[2] for row in rows], model.dimensions)
        _write(access, model, rows, vectors)
        made, after = made + len(rows), rows[-1][0]
        report(there + made, total)
    access.change(lambda unit: _take_over(unit, model), alone=True)
    return made


def _ignore(_done: int, _total: int) -> None:
    """Report nothing: used without a progress callback."""


def _missing(access: Access, model: StoredModel, after: int) -> list[Row]:
    """Return the next texts without a vector of the model."""
    params = {"embedder": model.id, "after": after, "limit": BATCH}
    return access.ask(lambda view: view.rows("texts_without_vector", params))


def _write(
    access: Access, model: StoredModel, rows: list[Row], vectors: NDArray[np.float32]
) -> None:
    """Store vectors. A text without a usable vector waits in the outbox, as after a failure."""

    def written(unit: Unit) -> None:
        _enqueue(unit, store_vectors(unit, model, rows, vectors))

    access.change(written)


def _enqueue(unit: Unit, seqs: list[int]) -> None:
    """Put texts into the outbox."""
    for seq in seqs:
        unit.send("enqueue", {"seq": seq, "due_at": to_micros(unit.now)})


def _take_over(unit: Unit, model: StoredModel) -> None:
    """Let the new model serve. Texts that were added meanwhile go into the outbox."""
    unit.send("serve", {"id": model.id})
    unit.send("drop_vectors", {})
    unit.send("drop_embedders", {})
    after = LOWEST
    while rows := unit.rows(
        "texts_without_vector", {"embedder": model.id, "after": after, "limit": 1_000}
    ):
        _enqueue(unit, [row[0] for row in rows])
        after = rows[-1][0]
