"""Vectors searched by the database. It finds candidates; how near they are is computed here.

So a similarity is the same on every engine: the stored bytes against the question's vector in full.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from erstwhile.recall.vector_search import Meaning
from erstwhile.search import vectors
from erstwhile.search.vectors import Near
from erstwhile.storage.view import View

_OBSTACLE = (
    "this PostgreSQL has no vector search: found by words alone until the extension vector "
    "(pgvector 0.8 or later) is there and the owner of the schema has opened the memory"
)


class VectorsInDatabase:
    memory = 0

    def __init__(self) -> None:
        self._able = False

    def obstacle(self, view: View) -> str | None:
        """Asked until it is there; it does not go away again."""
        if not self._able:
            self._able = bool(view.rows("searches_vectors", {})[0][0])
        return None if self._able else _OBSTACLE

    def nearest(self, view: View, meaning: Meaning, scopes: Mapping[int, int], count: int) -> Near:
        rows = view.rows(
            "nearest_vectors",
            {
                "embedder": meaning.embedder,
                "scopes": json.dumps(list(scopes)),
                "question": json.dumps([round(each, 6) for each in meaning.vector.tolist()]),
                "limit": count,
                "visible": sum(scopes.values()),
            },
        )
        cosines = vectors.cosines(meaning.vector, [row[1] for row in rows])
        best = np.argsort(-cosines, kind="stable")
        return Near(np.array([row[0] for row in rows], np.int64)[best], cosines[best])

    def cosines(
        self,
        view: View,
        meaning: Meaning,
        scopes: Mapping[int, int],  # noqa: ARG002
        seqs: Sequence[int],
    ) -> dict[int, float]:
        wanted = {"embedder": meaning.embedder, "seqs": json.dumps(list(seqs))}
        rows = view.rows("stored_vectors", wanted) if seqs else []
        values = vectors.cosines(meaning.vector, [row[1] for row in rows])
        return dict(zip((row[0] for row in rows), values.tolist(), strict=True))

    compared = cosines
