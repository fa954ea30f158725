"""Vectors from hashed words: deterministic and fast, for tests and experiments.

Texts that share words or parts of words get similar vectors. Their meaning has no effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import no_vectors, unit_vectors
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import folded

_WORD = re.compile(r"\w+")
_FIRST_IDEOGRAPH = "\u2e80"
"""The first code point from which a single character counts as a word."""


class HashingEmbedder:
    """Adds each word, and each group of two or three letters, at a place chosen by its hash."""

    in_process = True

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 1:
            raise InvalidInputError("dimensions must be at least 1")
        self.dimensions = dimensions
        self.model = f"hashing/{dimensions}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """Return one row per text: questions are hashed like statements."""
        if not texts:
            return no_vectors(self.dimensions)
        return unit_vectors(np.stack([self._row(text) for text in texts]))

    def _row(self, text: str) -> NDArray[np.float64]:
        row = np.zeros(self.dimensions)
        for feature, weight in _features(folded(text)):
            place, sign = self._place(feature)
            row[place] += sign * weight
        if not row.any():
            # The text has no word, or all cancelled out: hash the whole text.
            row[self._place(text)[0]] = 1.0
        return row

    def _place(self, feature: str) -> tuple[int, float]:
        digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        return (number >> 1) % self.dimensions, 1.0 if number & 1 else -1.0


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        yield word, 2.0
        bounded = f"<{word}>"
        for size in (2, 3):
            for start in range(len(bounded) - size + 1):
                yield f"{size}:{bounded[start : start + size]}", 0.5
        for character in word:
            if character >= _FIRST_IDEOGRAPH:
                yield character, 1.0
