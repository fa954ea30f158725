"""The floor of recall: an exact scan of all vectors by numpy, and one query of FTS5."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from erstwhile.core.ports import Embedder

_COUNT = 10
_SCHEMA = "CREATE VIRTUAL TABLE words USING fts5 (text, tokenize='porter unicode61')"
_BY_WORDS = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"


class PlainSearch:
    """Finds the ten nearest vectors and the ten best matches by words, without their texts."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._connection = sqlite3.connect(path)
        self._embedder = embedder
        self._vectors: NDArray[np.float32] = np.empty((0, embedder.dimensions), np.float32)

    def fill(self, texts: Sequence[str]) -> None:
        self._connection.execute(_SCHEMA)
        with self._connection as connection:
            rows = ((text,) for text in texts)
            connection.executemany("INSERT INTO words (text) VALUES (?)", rows)
        self._vectors = self._embedder.embed(texts)

    def recall(self, question: str) -> tuple[list[int], list[int]]:
        cosines = self._vectors @ self._embedder.embed([question], query=True)[0]
        near = np.argpartition(-cosines, _COUNT)[:_COUNT]
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        found = self._connection.execute(_BY_WORDS, (words, _COUNT)).fetchall()
        return near.tolist(), [id for (id,) in found]

    def close(self) -> None:
        self._connection.close()
