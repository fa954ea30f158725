"""Vector search in the database, which finds the candidates. Their cosines are computed here.

So a cosine is equal on every engine: it comes from the stored bytes and the full query vector.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from erstwhile.recall.vector_search import QueryVector
from erstwhile.search import vectors
from erstwhile.search.vectors import NearestVectors
from erstwhile.storage.view import View

_OBSTACLE = (
    "this PostgreSQL has no vector search: found by words alone until the extension vector "
    "(pgvector 0.8 or later) is there and the owner of the schema has opened the memory"
)


class VectorsInDatabase:
    """Implements `VectorSearch` with pgvector."""

    memory = 0

    def __init__(self) -> None:
        self._able = False

    def obstacle(self, view: View) -> str | None:
        """Return why vectors cannot be searched. Once the extension is there, it stays."""
        if not self._able:
            self._able = bool(view.rows("searches_vectors", {})[0][0])
        return None if self._able else _OBSTACLE

    def nearest(
        self, view: View, query: QueryVector, shelves: Mapping[int, int], count: int
    ) -> NearestVectors:
        """Return the `count` nearest vectors of these shelves, or all if there are fewer."""
        rows = view.rows(
            "nearest_vectors",
            {
                "embedder": query.embedder,
                "shelves": json.dumps(list(shelves)),
                "question": json.dumps([round(each, 6) for each in query.vector.tolist()]),
                "limit": count,
                "visible": sum(shelves.values()),
            },
        )
        cosines = vectors.cosines(query.vector, [row[1] for row in rows])
        best = np.argsort(-cosines, kind="stable")
        return NearestVectors(np.array([row[0] for row in rows], np.int64)[best], cosines[best])

    def cosines(
        self,
        view: View,
        query: QueryVector,
        shelves: Mapping[int, int],  # noqa: ARG002
        seqs: Sequence[int],
    ) -> dict[int, float]:
        """Return the cosines of these passages."""
        params = {"embedder": query.embedder, "seqs": json.dumps(list(seqs))}
        rows = view.rows("stored_vectors", params) if seqs else []
        values = vectors.cosines(query.vector, [row[1] for row in rows])
        return dict(zip((row[0] for row in rows), values.tolist(), strict=True))

    refreshed_cosines = cosines
