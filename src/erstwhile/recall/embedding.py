"""Embed passages and queries: the serving model, the outbox of waiting texts, and failures.

Embedding never happens inside a transaction, and `remember` never waits for it. A passage goes into
the outbox in the transaction of its row. Later any process that has the model embeds it, at least
once. Vectors of different models are never mixed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.core.background import Stage
from erstwhile.core.defaults import EMBEDDER_WAIT
from erstwhile.core.errors import EmbedderError, InvalidInputError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Embedder, Row
from erstwhile.core.time import to_micros
from erstwhile.recall.embedder_calls import (
    answered_within,
    dimensions_of,
    embed_question,
    embed_texts,
    usable,
)
from erstwhile.recall.similarity_scale import DEFAULT_SCALE
from erstwhile.recall.stored_models import (
    StoredModel,
    describe_model,
    register_model,
    serving_model,
    store_vectors,
)
from erstwhile.recall.vector_search import QueryVector
from erstwhile.recall.waiting import RecentVectors, WaitingVectors
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
_REST = 30.0
"""Seconds without queries to a model that has just failed."""
_LONGEST_DELAY = 600.0
_LEASE = 60.0
"""Seconds that a batch is leased to one process. After that another process may embed it, too."""


class Embedding:
    """The embedder of this process. It rests for a while after a failure."""

    def __init__(
        self, embedder: Embedder | None, stage: Stage, wait: float = EMBEDDER_WAIT
    ) -> None:
        self.embedder = embedder
        self._wait = wait
        self._stage = stage
        self._lock, self._process = Lock(), os.getpid()
        self._recent = RecentVectors()
        self._resting_until = 0.0
        self._last_problem = ""

    def query(
        self, serving: StoredModel | None, text: str, *, question: bool = True
    ) -> QueryVector | str:
        """Return the vector of a query, or the reason why there is none.

        With `question=False` the text is embedded like a stored text.
        """
        if self.embedder is None:
            return "no embedder is set: found by words alone"
        if serving is not None and serving.name != self.embedder.model:
            return _made_otherwise(serving.name, self.embedder.model)
        if time.monotonic() < self._resting_until:
            return self._last_problem
        return self._embed_query(self.embedder, serving, text, question)

    def waiting_vectors(self, rows: Sequence[Row]) -> WaitingVectors:
        """Return the vectors of rows (number, shelf, text) that wait; embed those that are new.

        A failure is not reported: the background work reports it.
        """
        if self.embedder is None or not rows:
            return WaitingVectors()
        new: list[Row] = []
        try:
            size = dimensions_of(self.embedder)
            new = self._recent.missing((self.embedder.model, size), rows)
            if new:
                vectors = self._embed_new(self.embedder, [row[2] for row in new], size)
                self._recent.add(new, [each if usable([each])[0] else None for each in vectors])
        except EmbedderError as error:
            self._recent.add(new, [None] * len(new))
            log_failure(__name__, "%d new records are found by words", len(new), error=error)
        return self._recent.waiting(rows)

    def drain_now(self, access: Access) -> Iterator[int]:
        """Embed the texts in the outbox, also those that failed and were to be tried later."""
        if self.embedder is not None:
            now = to_micros(access.clock.now())
            access.change(lambda unit: unit.run("hasten", {"now": now}))
        yield from self.drain(access)

    def drain(self, access: Access) -> Iterator[int]:
        """Embed the texts in the outbox; yield the size of each batch.

        Threads take turns, so that a thread that waited finds the outbox empty.
        """
        if self.embedder is None:
            return
        while done := self._next_batch(access, self.embedder):
            yield done

    def _next_batch(self, access: Access, embedder: Embedder) -> int:
        """Embed one batch; return its size, or 0 if nothing is due or the model failed."""
        with self._process_lock:
            if not access.ask(lambda view: _is_due(view, embedder.model)):
                return 0
            batch = access.change(_claim)
            return len(batch) if batch and self._embed_batch(access, embedder, batch) else 0

    def _embed_batch(self, access: Access, embedder: Embedder, batch: Sequence[Row]) -> bool:
        """Embed and store a batch; return whether to continue. Failed texts are postponed."""
        try:
            size = dimensions_of(embedder)
            if access.ask(lambda view: _serves_otherwise(view, embedder.model, size)):
                _release(access, batch)
                return False
            vectors = embed_texts(embedder, [row[2] for row in batch], size)
            model = describe_model(access, embedder)
            self._stage.succeeded()
            return access.change(lambda unit: _store_batch(unit, model, batch, vectors))
        except EmbedderError as error:
            log_failure(__name__, "%d records are embedded later", len(batch), error=error)
            self._stage.record(error, min(_delay(error, row[1]) for row in batch))
            failure = error
            access.change(lambda unit: _postpone(unit, batch, failure))
            return False
        except BaseException:
            _release(access, batch)
            raise

    @property
    def _process_lock(self) -> Lock:
        """The lock of this process. A forked process must not use the lock of its parent."""
        if self._process != os.getpid():
            self._lock, self._process = Lock(), os.getpid()
        return self._lock

    def _embed_new(
        self, embedder: Embedder, texts: Sequence[str], size: int
    ) -> NDArray[np.float32]:
        return answered_within(self._wait, embedder, lambda: embed_texts(embedder, texts, size))

    def _embed_query(
        self, embedder: Embedder, serving: StoredModel | None, text: str, question: bool
    ) -> QueryVector | str:
        try:
            vector = answered_within(
                self._wait, embedder, lambda: embed_question(embedder, text, query=question)
            )
        except EmbedderError as error:
            log_failure(__name__, "a query was not embedded; recall uses words", error=error)
            self._resting_until = time.monotonic() + (error.retry_after or _REST)
            self._last_problem = f"{error.message}: found by words alone"
            return self._last_problem
        if serving is None:
            return QueryVector(0, vector, DEFAULT_SCALE)
        if len(vector) != serving.dimensions:
            sizes = (f"{size} dimensions" for size in (serving.dimensions, len(vector)))
            return _made_otherwise(*(f"{serving.name} with {size}" for size in sizes))
        return QueryVector(serving.id, vector, serving.scale)


def checked_wait(seconds: float) -> float:
    """Return the seconds that a query may wait for the embedder."""
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < seconds <= _LONGEST_DELAY:
        raise InvalidInputError(
            f"embedder_wait must be a number of seconds up to {_LONGEST_DELAY:g}, not {seconds!r}"
        )
    return float(seconds)


def _made_otherwise(stored: str, present: str) -> str:
    return (
        f"the vectors here were made by {stored}, and this process has {present}: found by words "
        "alone until `erstwhile reembed` has run"
    )


def _is_due(view: View, model: str) -> bool:
    """Return whether a text is due and no other model serves."""
    serving = serving_model(view)
    if serving is not None and serving.name != model:
        return False
    return bool(view.rows("first_in_outbox", {"now": view.stamp}))


def _serves_otherwise(view: View, model: str, dimensions: int) -> bool:
    """Return whether the stored vectors are of another model, or of other dimensions."""
    serving = serving_model(view)
    return serving is not None and not serving.made_by(model, dimensions)


def _claim(unit: Unit) -> list[Row]:
    """Lease a due batch to this process. If the process dies, the lease runs out.

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
        unit.send("lease", {"seq": row[0], "due_at": until})


def _release(access: Access, batch: Sequence[Row]) -> None:
    """Let another thread or process take the batch at once."""
    try:
        access.change(lambda unit: _lease(unit, batch, 0))
    except Exception as error:
        # The lease runs out by itself.
        log_failure(__name__, "%d records stay leased for a while", len(batch), error=error)


def _store_batch(
    unit: Unit, model: StoredModel, batch: Sequence[Row], vectors: NDArray[np.float32]
) -> bool:
    """Store the vectors of a batch, unless another model serves by now."""
    registered = register_model(unit, model)
    if not registered.serving:  # another model serves now: the texts wait for it
        _lease(unit, batch, 0)
        return False
    unusable = set(store_vectors(unit, registered, batch, vectors))
    for row in batch:
        if row[0] not in unusable:
            unit.send("dequeue", {"seq": row[0]})
    bad = [row for row in batch if row[0] in unusable]
    _postpone(unit, bad, EmbedderError("the embedder returned no usable vector for this text"))
    return True


def _postpone(unit: Unit, batch: Sequence[Row], error: EmbedderError) -> None:
    """Retry a batch later."""
    for seq, attempts, _ in batch:
        due = to_micros(unit.now + timedelta(seconds=_delay(error, attempts)))
        unit.send("postpone", {"seq": seq, "due_at": due, "problem": error.message})


def _delay(error: EmbedderError, attempts: int) -> float:
    """Return the seconds until the next try: those that the error names, or ever more."""
    return error.retry_after or min(2.0**attempts, _LONGEST_DELAY)
