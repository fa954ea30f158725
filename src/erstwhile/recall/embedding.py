"""Vectors for facts and questions: which model serves, what waits, what happens when it is down.

Embedding never happens inside a transaction, and remembering never waits for it. A fact goes into
the outbox together with its row; from there it is embedded at least once, later, by whichever
process has the model. A model other than the stored one is noticed and never mixed in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.core.errors import EmbedderError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Embedder, Row
from erstwhile.core.time import to_micros
from erstwhile.recall.similarity_scale import SimilarityScale, measure_scale
from erstwhile.recall.vector_search import QueryVector
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
_REST = 30.0
"""Seconds without questions to a model that has just failed."""
_LONGEST_DELAY = 600.0
_LEASE = 60.0
"""Seconds that a batch is one process's own. Should it take longer, another embeds it, too."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the store knows it."""

    id: int
    name: str
    dimensions: int
    serving: bool
    scale: SimilarityScale


class Embedding:
    """The embedder of this process, and whether it may be asked."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self._turn, self._process = Lock(), os.getpid()
        self._resting_until = 0.0
        self._last_problem = ""

    def query(
        self, serving: Model | None, text: str, *, question: bool = True
    ) -> QueryVector | str:
        """The serving model's number and the text's vector, or why there is none.

        A text that is compared with its like is no question, and is embedded as they were.
        """
        if self.embedder is None:
            return "no embedder is set: found by words alone"
        if serving is None:
            return "no fact has been embedded yet: found by words alone"
        if serving.name != self.embedder.model:
            return mismatch(serving.name, self.embedder.model)
        if time.monotonic() < self._resting_until:
            return self._last_problem
        return self._embedded(self.embedder, serving, text, question)

    def drain(self, access: Access) -> Iterator[int]:
        """Embed what waits in the outbox, a batch at a time; yields how many each time.

        Several threads take turns, so that whoever has waited finds that all is done.
        """
        if self.embedder is None:
            return
        while done := self._next_batch(access, self.embedder):
            yield done

    def _next_batch(self, access: Access, embedder: Embedder) -> int:
        """How many were taken from the outbox; 0 when it is not worth going on."""
        with self._own_turn:
            if not access.ask(lambda view: _is_due(view, embedder.model)):
                return 0
            batch = access.change(_claim)
            return len(batch) if batch and _embed_batch(access, embedder, batch) else 0

    @property
    def _own_turn(self) -> Lock:
        """One for each process: the parent's may have been taken when it forked."""
        if self._process != os.getpid():
            self._turn, self._process = Lock(), os.getpid()
        return self._turn

    def _embedded(
        self, embedder: Embedder, serving: Model, text: str, question: bool
    ) -> QueryVector | str:
        try:
            vectors = embedded(embedder, [text], serving.dimensions, query=question)
            if not usable(vectors)[0]:
                raise EmbedderError("the embedder gave no usable vector for this question")
        except EmbedderError as error:
            log_failure(__name__, "a question was not embedded; recall uses words", error=error)
            self._resting_until = time.monotonic() + (error.retry_after or _REST)
            self._last_problem = f"{error.message}: found by words alone"
            return self._last_problem
        return QueryVector(serving.id, vectors[0], serving.scale)


def models(view: View) -> list[Model]:
    """The models that have vectors here, or are about to."""
    rows = view.rows("list_embedders", {})
    return [
        Model(id, name, dimensions, bool(serving), SimilarityScale(usual, spread))
        for id, name, dimensions, serving, usual, spread in rows
    ]


def mismatch(stored: str, ours: str) -> str:
    return (
        f"the vectors here were made by {stored}, and this process has {ours}: found by words "
        "alone until `erstwhile reembed` has run"
    )


def serving_model(view: View) -> Model | None:
    return next((model for model in models(view) if model.serving), None)


def dimensions_of(embedder: Embedder) -> int:
    with _no_other_error():
        return int(embedder.dimensions)


def embedded(
    embedder: Embedder, texts: Sequence[str], dimensions: int, *, query: bool = False
) -> NDArray[np.float32]:
    """A row of unit length per text; one without a direction, such as zero, comes back as NaN."""
    # Loaded here and below: a memory without an embedder needs no numpy.
    import numpy as np

    with _no_other_error():
        given = np.asarray(embedder.embed(texts, query=query), np.float64)
    if given.shape != (len(texts), dimensions):
        raise EmbedderError(
            f"the embedder gave {given.shape} numbers where {(len(texts), dimensions)} were due"
        )
    with np.errstate(all="ignore"):
        rows: NDArray[np.float32] = (given.T / np.linalg.norm(given, axis=1)).T.astype(np.float32)
    return rows


def usable(vectors: NDArray[np.float32]) -> list[bool]:
    """Which rows can be stored and compared."""
    import numpy as np

    return [bool(np.isfinite(vector).all()) for vector in vectors]


def described(access: Access, embedder: Embedder) -> Model:
    """The model as the store knows it, or as it will: one that is new is measured."""
    name, dimensions = embedder.model, dimensions_of(embedder)
    known = access.ask(lambda view: _find(view, name))
    if known is None:
        scale = measure_scale(
            lambda texts, query: embedded(embedder, texts, dimensions, query=query)
        )
        return Model(0, name, dimensions, False, scale)
    if known.dimensions != dimensions:
        raise EmbedderError(f"{name} had {known.dimensions} dimensions, and now has {dimensions}")
    return known


def register(unit: Unit, model: Model) -> Model:
    """The model's row, made if there is none; the first model of a store serves at once."""
    if _find(unit, model.name) is None:
        new = {"model": model.name, "dimensions": model.dimensions, **model.scale._asdict()}
        unit.send("add_embedder", {**new, "serving": int(not models(unit))})
    return next(each for each in models(unit) if each.name == model.name)


def _find(view: View, name: str) -> Model | None:
    return next((model for model in models(view) if model.name == name), None)


def store(unit: Unit, model: Model, rows: Sequence[Row], vectors: NDArray[np.float32]) -> list[int]:
    """Write the vectors that are sound; the numbers of the others."""
    from erstwhile.search.vectors import pack

    unsound = []
    for row, vector, good in zip(rows, vectors, usable(vectors), strict=True):
        if good:
            said = {"embedder": model.id, "seq": row[0], "vector": pack(vector)}
            unit.send("put_vector", said)
        else:
            unsound.append(row[0])
    return unsound


@contextmanager
def _no_other_error() -> Iterator[None]:
    """A model is somebody else's code: whatever it raises becomes an EmbedderError."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"the embedder failed with {type(error).__name__}") from error


def _is_due(view: View, model: str) -> bool:
    """Whether something is, unless another model serves."""
    serving = serving_model(view)
    if serving is not None and serving.name != model:
        return False
    return bool(view.rows("first_in_outbox", {"now": view.stamp}))


def _claim(unit: Unit) -> list[Row]:
    """What is due, for this process alone; should it die, others get it when the lease is over.

    What failed before comes in ever smaller company, so that one bad text holds up no others.
    """
    due = unit.rows("next_in_outbox", {"now": unit.stamp, "limit": BATCH})
    claimed = due[: max(BATCH >> due[0][3], 1)] if due else []
    _lease(unit, claimed, _LEASE)
    return claimed


def _lease(unit: Unit, batch: Sequence[Row], seconds: float) -> None:
    until = to_micros(unit.now + timedelta(seconds=seconds))
    for row in batch:
        unit.send("lease", {"seq": row[0], "due_at": until})


def _embed_batch(access: Access, embedder: Embedder, batch: Sequence[Row]) -> bool:
    """Whether it was worth going on; what could not be embedded is put off."""
    try:
        vectors = embedded(embedder, [row[2] for row in batch], dimensions_of(embedder))
        model = described(access, embedder)
        return access.change(lambda unit: _store_batch(unit, model, batch, vectors))
    except EmbedderError as error:
        log_failure(__name__, "%d records are embedded later", len(batch), error=error)
        failure = error
        access.change(lambda unit: _put_off(unit, batch, failure))
        return False
    except BaseException:
        _release(access, batch)
        raise


def _release(access: Access, batch: Sequence[Row]) -> None:
    """Let another thread or process take the batch at once."""
    try:
        access.change(lambda unit: _lease(unit, batch, 0))
    except Exception as error:
        # The lease runs out by itself.
        log_failure(__name__, "%d records stay leased for a while", len(batch), error=error)


def _store_batch(
    unit: Unit, model: Model, batch: Sequence[Row], vectors: NDArray[np.float32]
) -> bool:
    registered = register(unit, model)
    if not registered.serving:  # another model took over meanwhile: these wait for it
        _lease(unit, batch, 0)
        return False
    unsound = set(store(unit, registered, batch, vectors))
    for row in batch:
        if row[0] not in unsound:
            unit.send("dequeue", {"seq": row[0]})
    bad = [row for row in batch if row[0] in unsound]
    _put_off(unit, bad, EmbedderError("the embedder gave no usable vector for this text"))
    return True


def _put_off(unit: Unit, batch: Sequence[Row], error: EmbedderError) -> None:
    for seq, _, _, attempts in batch:
        delay = error.retry_after or min(2.0**attempts, _LONGEST_DELAY)
        due = to_micros(unit.now + timedelta(seconds=delay))
        unit.send("postpone", {"seq": seq, "due_at": due, "problem": error.message})
