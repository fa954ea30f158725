"""Call an embedder, which may be code of the caller: check what it returns, and its errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from erstwhile.core.errors import EmbedderError
from erstwhile.core.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def dimensions_of(embedder: Embedder) -> int:
    """Return the dimensions of an embedder, which may load its model."""
    with _as_embedder_error():
        return int(embedder.dimensions)


def embed_texts(
    embedder: Embedder, texts: Sequence[str], dimensions: int, *, query: bool = False
) -> NDArray[np.float32]:
    """Return one row of unit length per text; a row of zeros becomes NaN."""
    # Imported here and below: a memory without an embedder needs no numpy.
    import numpy as np

    with _as_embedder_error():
        given = np.asarray(embedder.embed(texts, query=query), np.float64)
    if given.shape != (len(texts), dimensions):
        raise EmbedderError(
            f"the embedder returned the shape {given.shape}, not {(len(texts), dimensions)}"
        )
    with np.errstate(all="ignore"):
        rows: NDArray[np.float32] = (given.T / np.linalg.norm(given, axis=1)).T.astype(np.float32)
    return rows


def usable(vectors: Iterable[NDArray[np.float32]]) -> list[bool]:
    """Return which rows can be stored: those with finite numbers."""
    import numpy as np

    return [bool(np.isfinite(vector).all()) for vector in vectors]


@contextmanager
def _as_embedder_error() -> Iterator[None]:
    """Raise every error of an embedder as EmbedderError. It may be code of the caller."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"the embedder failed with {type(error).__name__}") from error
