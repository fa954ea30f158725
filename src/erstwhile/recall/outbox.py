"""Embed stored texts: the outbox of texts without vectors, and the change to another model.

Embedding never happens inside a transaction, and `remember` never waits for it. A passage goes into
the outbox in the transaction of its row. Later any process that has the model embeds it, at least
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from erstwhile.core.background import JobHealth
from erstwhile.core.errors import EmbedderError, InvalidInputError, ScopeError
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Embedder, Row
from erstwhile.core.scope import SHARED
from erstwhile.core.time import to_micros
from erstwhile.recall.models import (
    StoredModel,
    checked_pairs,
    describe_model,
    dimensions_of,
    embed_texts,
    measure_scale,
    register_model,
    serving_model,
    store_vectors,
)
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
_MAX_DELAY = 600.0
_LEASE = 60.0
"""Seconds that a batch is leased to one process. After that another process may embed it, too."""
_MIN_PLACE = -(2**62)
"""A number below those of all decisions, which are negative, and of all facts."""


class Outbox:
    """The texts without vectors, embedded in batches."""

    def __init__(self, health: JobHealth) -> None:
        self._health = health
        self._lock = ForkSafeLock()

    def drain(
        self, access: Access, embedder: Embedder | None, *, early: bool = False
    ) -> Iterator[int]:
        """Embed the texts in the outbox; yield the size of each batch.

        Threads take turns: a thread that waited finds the outbox empty. With `early`, texts to
        retry later after a failure are embedded, too.
        """
        if early and embedder is not None:
            now = to_micros(access.clock.now())
            access.change(lambda unit: unit.run("hasten", {"now": now}))
        while embedder is not None:
            with self._lock:
                if not access.ask(lambda view: _is_due(view, embedder.model)):
                    return
                batch = access.change(_claim)
                if not batch or not self._embed_batch(access, embedder, batch):
                    return
            yield len(batch)

    def _embed_batch(self, access: Access, embedder: Embedder, batch: Sequence[Row]) -> bool:
        """Embed and store a batch; return whether to continue. Failed texts are postponed."""
        try:
            size = dimensions_of(embedder)
            serving = access.ask(serving_model)
            if serving is not None and not serving.made_by(embedder.model, size):
                _release(access, batch)
                return False
            vectors = embed_texts(embedder, [row[2] for row in batch], size)
            model = describe_model(access, embedder)
            self._health.succeeded()
            return access.change(lambda unit: _store_batch(unit, model, batch, vectors))
        except EmbedderError as error:
            log_failure(__name__, "%d records are embedded later", len(batch), error=error)
            self._health.record(error, min(_delay(error, row[1]) for row in batch))
            failure = error
            access.change(lambda unit: _postpone(unit, batch, failure))
            return False
        except BaseException:
            _release(access, batch)
            raise


def reembed(
    access: Access,
    embedder: Embedder | None,
    progress: Callable[[int, int], None] | None,
    pairs: Mapping[str, str] | None = None,
) -> int:
    """Embed every text with the model of this process; return how many were embedded.

    The new vectors are stored beside the old ones, which still serve. When every text has a new
    vector, the new model takes over and the old vectors are deleted, in one transaction. An
    interrupted run continues later: texts with a new vector are not embedded again. `progress` gets
    the number of texts that have a new vector, and the number of all texts. With `pairs`, the
    similarity scale of the model is measured with them.
    """
    own = None if pairs is None else checked_pairs(pairs)
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
    done = access.ask(lambda view: int(view.rows("count_vectors", {"embedder": model.id})[0][0]))
    made, after = 0, _MIN_PLACE
    report = progress or (lambda _done, _total: None)
    report(done, total)
    while rows := access.ask(partial(_without_vector, model=model, after=after, limit=BATCH)):
        vectors = embed_texts(embedder, [row[2] for row in rows], model.dimensions)
        access.change(partial(_store_new, model=model, rows=rows, vectors=vectors))
        made, after = made + len(rows), rows[-1][0]
        report(done + made, total)
    if own is not None:
        model = replace(model, scale=measure_scale(embedder, model.dimensions, own))
    access.change(lambda unit: _switch_to(unit, model), alone=True)
    return made


def _is_due(view: View, model: str) -> bool:
    serving = serving_model(view)
    if serving is not None and serving.name != model:
        return False
    return bool(view.rows("first_in_outbox", {"now": view.stamp}))


def _claim(unit: Unit) -> list[Row]:
    """Lease a due batch to this process. If the process dies, the lease expires.

    After each failure the batch is half as large, so that one bad text does not block others.
    """
    due = unit.rows("next_in_outbox", {"now": unit.stamp, "limit": BATCH})
    claimed = due[: max(BATCH >> due[0][1], 1)] if due else []
    _lease(unit, claimed, _LEASE)
    return claimed


def _lease(unit: Unit, batch: Sequence[Row], seconds: float) -> None:
    """Lease a batch for some seconds; 0 releases it."""
    until = to_micros(unit.now + timedelta(seconds=seconds))
    for row in batch:
        unit.execute_async("lease", {"seq": row[0], "due_at": until})


def _release(access: Access, batch: Sequence[Row]) -> None:
    """Release a batch, so that another thread or process can claim it at once."""
    try:
        access.change(lambda unit: _lease(unit, batch, 0))
    except Exception as error:
        log_failure(__name__, "could not release the lease of %d records", len(batch), error=error)


def _store_batch(
    unit: Unit, model: StoredModel, batch: Sequence[Row], vectors: NDArray[np.float32]
) -> bool:
    """Store the vectors of a batch, unless another model serves by now."""
    registered = register_model(unit, model)
    if not registered.serving:  # the texts wait for the model that serves
        _lease(unit, batch, 0)
        return False
    unusable = store_vectors(unit, registered, batch, vectors)
    for row in batch:
        if row[0] not in unusable:
            unit.execute_async("dequeue", {"seq": row[0]})
    bad = [row for row in batch if row[0] in unusable]
    _postpone(unit, bad, EmbedderError("the embedder returned no usable vector for this text"))
    return True


def _postpone(unit: Unit, batch: Sequence[Row], error: EmbedderError) -> None:
    for seq, attempts, _ in batch:
        due = to_micros(unit.now + timedelta(seconds=_delay(error, attempts)))
        unit.execute_async("postpone", {"seq": seq, "due_at": due, "problem": error.message})


def _delay(error: EmbedderError, attempts: int) -> float:
    """Return the seconds until the next attempt: as the error says, or exponential back-off."""
    return error.retry_after or min(2.0**attempts, _MAX_DELAY)


def _without_vector(view: View, model: StoredModel, after: int, limit: int) -> list[Row]:
    params = {"embedder": model.id, "after": after, "limit": limit}
    return view.rows("texts_without_vector", params)


def _store_new(
    unit: Unit, model: StoredModel, rows: list[Row], vectors: NDArray[np.float32]
) -> None:
    """Store vectors. A text without a usable vector goes into the outbox, as after a failure."""
    for seq in sorted(store_vectors(unit, model, rows, vectors)):
        unit.execute_async("enqueue", {"seq": seq, "due_at": to_micros(unit.now)})


def _switch_to(unit: Unit, model: StoredModel) -> None:
    """Let the new model serve. Texts that were added meanwhile go into the outbox."""
    unit.execute_async("serve", {"id": model.id, **model.scale._asdict()})
    unit.execute_async("drop_vectors", {})
    unit.execute_async("drop_embedders", {})
    after = _MIN_PLACE
    while rows := _without_vector(unit, model, after, 1_000):
        for after, *_ in rows:
            unit.execute_async("enqueue", {"seq": after, "due_at": to_micros(unit.now)})
