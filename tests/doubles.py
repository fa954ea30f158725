"""Embedders that fail in every way that a test needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import EmbedderError

_BEGINNING = 5
Spoil = Callable[[Sequence[str], NDArray[np.float32]], Any]


class UnreliableEmbedder:
    """An embedder by the first letters: texts with the same beginning get the same vector.

    If `spoil` is set, it returns what `spoil` makes of the vectors.
    """

    def __init__(self, spoil: Spoil | None = None, dimensions: int = 64, model: str = "") -> None:
        self._hashing = HashingEmbedder(dimensions)
        self.dimensions = dimensions
        self.model = model or f"unreliable/{dimensions}"
        self.spoil = spoil
        self.embedded: list[str] = []
        """Every text that it embedded, with the questions."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.embedded += texts
        vectors = self._hashing.embed([text[:_BEGINNING] for text in texts], query=query)
        return self.spoil(texts, vectors) if self.spoil else vectors


def raising(error: BaseException) -> Spoil:
    def spoil(_texts: Sequence[str], _vectors: NDArray[np.float32]) -> Any:
        raise error

    return spoil


TROUBLES: dict[str, Spoil] = {
    "down": raising(EmbedderError("the server is down")),
    "broken": raising(RuntimeError("no such file")),
    "of no use": raising(MemoryError()),
    "interrupted": raising(StopIteration()),
    "too narrow": lambda _, vectors: vectors[:, :-1],
    "too wide": lambda _, vectors: np.hstack([vectors, vectors]),
    "too few": lambda _, vectors: vectors[:-1],
    "flat": lambda _, vectors: vectors.ravel(),
    "no array": lambda texts, _: list(texts),
    "nothing": lambda _texts, _vectors: None,
    "not a number": lambda _, vectors: vectors * np.nan,
    "endless": lambda _, vectors: vectors * np.inf,
    "zero": lambda _, vectors: vectors * 0,
}
"""The possible failures of an embedder, by name."""
