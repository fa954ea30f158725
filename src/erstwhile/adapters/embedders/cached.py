"""A cache for the vectors of the latest questions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.vectors import none
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Embedder


class CachedEmbedder:
    """An embedder that caches the vectors of questions, but not those of stored texts."""

    def __init__(self, embedder: Embedder, size: int = 1024) -> None:
        if size < 1:
            raise InvalidInputError("the size of a cache must be at least 1")
        self._embedder = embedder
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def in_process(self) -> bool:
        """Whether the model runs in this process, so that it cannot hang."""
        return getattr(self._embedder, "in_process", False)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not query:
            return self._embedder.embed(texts)
        if not texts:
            return none(self.dimensions)
        texts_by_key = {_key(text): text for text in texts}
        rows = self._remembered(texts_by_key)
        if new := [key for key in texts_by_key if key not in rows]:
            vectors = self._embedder.embed([texts_by_key[key] for key in new], query=True)
            rows.update(zip(new, vectors, strict=True))
            # Copied: a single row would keep the memory of the whole batch.
            self._keep({key: rows[key].copy() for key in new})
        return np.stack([rows[_key(text)] for text in texts])

    def _remembered(self, keys: dict[bytes, str]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
            for key in known:
                self._kept.move_to_end(key)
            return known

    def _keep(self, rows: dict[bytes, NDArray[np.float32]]) -> None:
        with self._lock:
            self._kept.update(rows)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def _key(text: str) -> bytes:
    """Return a hash, so that no erased text stays in the cache."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
