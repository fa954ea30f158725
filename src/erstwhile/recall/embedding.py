"""Embed queries, and the newest texts that have no stored vectors yet.

So that a new record is found by its meaning at once, a query embeds the newest short texts in the
outbox, up to a bound, and compares them as well. Their vectors are kept in the process until the
background thread has stored them: a query writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from erstwhile.core.errors import EmbedderError, InvalidInputError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Embedder, Reranker, Row
from erstwhile.core.settings import EMBEDDER_WAIT
from erstwhile.recall.models import (
    DEFAULT_SCALE,
    QueryVector,
    StoredModel,
    dimensions_of,
    embed_texts,
    is_usable,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")
UnembeddedVectors: TypeAlias = "Mapping[int, tuple[int, NDArray[np.float32]]]"
"""The partition and the vector of passages in the outbox, by their numbers."""

MAX_NEW = 24
"""The texts that one query may embed. A short text takes about 3 ms."""
MAX_LENGTH = 300
"""The most characters of a text that a query embeds."""
MAX_COMPARED = 120
"""The texts in the outbox that one query compares, with those that earlier queries embedded."""
_MAX_KEPT = 1_000
"""The vectors of such texts that the process keeps."""
_PAUSE = 30.0
"""Seconds without queries to a model that has just failed."""
_MAX_WAIT = 600.0


class Embedding:
    """The embedder of this process. After a failure it is not asked for a while."""

    def __init__(self, embedder: Embedder | None, wait: float = EMBEDDER_WAIT) -> None:
        self.embedder = embedder
        self._wait = wait
        self._paused_until = 0.0
        self._last_problem = ""
        self._kept_model: tuple[str, int] = ("", 0)
        self._kept: dict[int, NDArray[np.float32] | None] = {}
        """Vectors of texts in the outbox; None for a text that could not be embedded."""

    def query(
        self, serving: StoredModel | None, text: str, *, question: bool = True
    ) -> QueryVector | str:
        """Return the vector of a query, or the reason why there is none.

        With `question=False` the text is embedded like a stored text.
        """
        embedder = self.embedder
        if embedder is None:
            return "no embedder is set: found by words alone"
        if serving is not None and serving.name != embedder.model:
            return _other_model(serving.name, embedder.model)
        if time.monotonic() < self._paused_until:
            return self._last_problem
        try:
            vector = within(self._wait, embedder, partial(_embed_query, embedder, text, question))
        except EmbedderError as error:
            log_failure(__name__, "a query was not embedded; recall uses words", error=error)
            self._paused_until = time.monotonic() + (error.retry_after or _PAUSE)
            self._last_problem = f"{error.message}: found by words alone"
            return self._last_problem
        if serving is None:
            return QueryVector(0, vector, DEFAULT_SCALE, embedder.model)
        if len(vector) != serving.dimensions:
            sizes = (f"{size} dimensions" for size in (serving.dimensions, len(vector)))
            return _other_model(*(f"{serving.name} with {size}" for size in sizes))
        return QueryVector(serving.id, vector, serving.scale, serving.name)

    def unembedded(self, rows: Sequence[Row]) -> UnembeddedVectors:
        """Return the vectors of rows (number, partition, text) in the outbox; embed the new ones.

        A failure is only logged: the background thread reports it.
        """
        embedder = self.embedder
        if embedder is None or not rows:
            return {}
        new: list[Row] = []
        try:
            size = dimensions_of(embedder)
            if (embedder.model, size) != self._kept_model or len(self._kept) > _MAX_KEPT:
                self._kept_model, self._kept = (embedder.model, size), {}
            new = [row for row in rows if row[0] not in self._kept][:MAX_NEW]
            texts = [row[2] for row in new]
            if texts:
                vectors = within(self._wait, embedder, partial(embed_texts, embedder, texts, size))
                for row, vector in zip(new, vectors, strict=True):
                    self._kept[row[0]] = vector if is_usable(vector) else None
        except EmbedderError as error:
            self._kept |= {row[0]: None for row in new}
            log_failure(__name__, "%d new records are found by words", len(new), error=error)
        known = ((seq, partition, self._kept.get(seq)) for seq, partition, _ in rows)
        return {seq: (partition, vector) for seq, partition, vector in known if vector is not None}


def checked_wait(seconds: float) -> float:
    """Return the seconds that a query may wait for the embedder."""
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < seconds <= _MAX_WAIT:
        raise InvalidInputError(
            f"embedder_wait must be a number of seconds up to {_MAX_WAIT:g}, not {seconds!r}"
        )
    return float(seconds)


def _other_model(stored: str, present: str) -> str:
    return (
        f"the vectors here were made by {stored}, and this process has {present}: found by words "
        "alone until `erstwhile reembed` has run"
    )


def _embed_query(embedder: Embedder, text: str, question: bool) -> NDArray[np.float32]:
    """Return the vector of one text. Raise EmbedderError if it has no usable one."""
    # Only after its first answer a remote model knows its dimensions without another call.
    vector: NDArray[np.float32] = embed_texts(embedder, [text], None, query=question)[0]
    expected = dimensions_of(embedder)
    if len(vector) != expected:
        shapes = f"{(1, len(vector))}, not {(1, expected)}"
        raise EmbedderError(f"the embedder returned the shape {shapes}")
    if not is_usable(vector):
        raise EmbedderError("the embedder returned no usable vector for this query")
    return vector


def within(seconds: float, model: Embedder | Reranker, work: Callable[[], Result]) -> Result:
    """Return the result of calls of a model. Raise EmbedderError if they take too long.

    A model that runs in this process never hangs, and may take a moment to load: it has no limit.
    """
    if getattr(model, "in_process", False):
        return work()
    answer: Future[Result] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # raised again in the thread that waits
            answer.set_exception(error)

    # A daemon: a call that hangs must not keep the process alive.
    Thread(target=run, daemon=True).start()
    try:
        return answer.result(timeout=seconds)
    except TimeoutError:  # every error of the model itself is an EmbedderError
        raise EmbedderError(f"{model.model} did not answer within {seconds:g} seconds") from None
