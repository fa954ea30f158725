"""The vectors that every embedder returns: rows of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.core.errors import EmbedderError


def unit(rows: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Scale the rows to length one. Raise EmbedderError for zeros, NaN and infinity."""
    # First scaled by the largest number: squares of very large or small ones would overflow.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise EmbedderError("the model returned a vector with NaN or infinity in it")
    if not largest.all():
        raise EmbedderError("the model returned a vector of zeros")
    scaled = rows.astype(np.float64) / largest
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    result: NDArray[np.float32] = (scaled / lengths).astype(np.float32)
    return result


def none(dimensions: int) -> NDArray[np.float32]:
    """Return an empty array of vectors."""
    return np.empty((0, dimensions), dtype=np.float32)
