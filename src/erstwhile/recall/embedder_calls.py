"""Call an embedder, which may be code of the caller: check what it returns, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from erstwhile.core.errors import EmbedderError
from erstwhile.core.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")


def dimensions_of(embedder: Embedder) -> int:
    """Return the dimensions of an embedder, which may load its model."""
    with _as_embedder_error():
        return int(embedder.dimensions)


def embed_texts(
    embedder: Embedder, texts: Sequence[str], dimensions: int | None, *, query: bool = False
) -> NDArray[np.float32]:
    """Return one row of unit length per text; a row of zeros becomes NaN.

    With `dimensions=None` the rows may have any length.
    """
    # Imported here and below: a memory without an embedder needs no numpy.
    import numpy as np

    with _as_embedder_error():
        given = np.asarray(embedder.embed(texts, query=query), np.float64)
    expected = (len(texts), *(given.shape[1:2] if dimensions is None else (dimensions,)))
    if given.ndim != 2 or given.shape != expected:
        raise _wrong_shape(given.shape, expected)
    with np.errstate(all="ignore"):
        rows: NDArray[np.float32] = (given.T / np.linalg.norm(given, axis=1)).T.astype(np.float32)
    return rows


def embed_question(embedder: Embedder, text: str, *, query: bool) -> NDArray[np.float32]:
    """Return the vector of one text. Raise EmbedderError if it has no usable one."""
    # Only after its first answer a remote model knows its dimensions without another call.
    vectors = embed_texts(embedder, [text], None, query=query)
    if vectors.shape[1] != dimensions_of(embedder):
        raise _wrong_shape(vectors.shape, (1, dimensions_of(embedder)))
    if not usable(vectors)[0]:
        raise EmbedderError("the embedder returned no usable vector for this query")
    vector: NDArray[np.float32] = vectors[0]
    return vector


def answered_within(seconds: float, embedder: Embedder, work: Callable[[], Result]) -> Result:
    """Return the result of calls of an embedder. Raise EmbedderError if it takes too long.

    A model that runs in this process never hangs, and may take a moment to load: it has no limit.
    """
    if getattr(embedder, "in_process", False):
        return work()
    answers: SimpleQueue[Future[Result]] = SimpleQueue()
    # A daemon: a call that hangs must not keep the process alive.
    Thread(target=lambda: answers.put(_finished(work)), daemon=True).start()
    try:
        return answers.get(timeout=seconds).result()
    except Empty:
        raise EmbedderError(f"the embedder did not answer within {seconds:g} seconds") from None


def _finished(work: Callable[[], Result]) -> Future[Result]:
    done: Future[Result] = Future()
    try:
        done.set_result(work())
    except BaseException as error:  # raised again in the thread that waits
        done.set_exception(error)
    return done


def usable(vectors: Iterable[NDArray[np.float32]]) -> list[bool]:
    """Return which rows can be stored: those with finite numbers."""
    import numpy as np

    return [bool(np.isfinite(vector).all()) for vector in vectors]


def _wrong_shape(shape: tuple[int, ...], expected: tuple[int, ...]) -> EmbedderError:
    return EmbedderError(f"the embedder returned the shape {shape}, not {expected}")


@contextmanager
def _as_embedder_error() -> Iterator[None]:
    """Raise every error of an embedder as EmbedderError. It may be code of the caller."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"the embedder failed with {type(error).__name__}") from error
