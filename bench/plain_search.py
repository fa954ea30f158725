"""The baseline of recall: a search by plain SQL, with FTS5 and sqlite-vec."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import sqlite_vec  # type: ignore[import-untyped]

from erstwhile.core.ports import Embedder

_CHUNK = 5_000
_COUNT = 64
_SCHEMA = """
CREATE TABLE facts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
  text, content='facts', content_rowid='id', tokenize='porter unicode61');
CREATE VIRTUAL TABLE vectors USING vec0 (embedding float[{dimensions}]);
"""
_BY_WORDS = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
_BY_MEANING = "SELECT rowid FROM vectors WHERE embedding MATCH ? AND k = ? ORDER BY distance"


class PlainSearch:
    """Fuses full text and vectors by reciprocal ranks, and reads the ten best facts."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._execute = self._connection.cursor().execute
        self._embedder = embedder

    def fill(self, texts: Sequence[str]) -> None:
        self._execute(_SCHEMA.format(dimensions=self._embedder.dimensions))
        numbered = enumerate(texts, 1)
        while chunk := list(islice(numbered, _CHUNK)):
            vectors = self._embedder.embed([text for _, text in chunk])
            rows = [(id, vector.tobytes()) for (id, _), vector in zip(chunk, vectors, strict=True)]
            with self._connection as connection:
                connection.executemany("INSERT INTO facts VALUES (?, ?)", chunk)
                connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", chunk)
                connection.executemany("INSERT INTO vectors (rowid, embedding) VALUES (?, ?)", rows)

    def recall(self, question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        vector = self._embedder.embed([question], query=True)[0].tobytes()
        scores: dict[int, float] = {}
        for statement, wanted in ((_BY_WORDS, words), (_BY_MEANING, vector)):
            for place, (id,) in enumerate(self._rows(statement, wanted, _COUNT)):
                scores[id] = scores.get(id, 0.0) + 1 / (60 + place)
        best = sorted(scores, key=lambda id: -scores[id])[:10]
        return [self._rows("SELECT text FROM facts WHERE id = ?", id)[0][0] for id in best]

    def _rows(self, statement: str, *bound: str | bytes | int) -> list[Any]:
        return self._execute(statement, bound).fetchall()

    def close(self) -> None:
        self._connection.close()
