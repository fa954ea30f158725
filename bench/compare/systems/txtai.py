"""The hybrid index of txtai, saved after each change."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from txtai import Embeddings

from bench.compare.vectors import Embed, Vectors

_given: list[Embed] = []
os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"  # without it, txtai refuses the given embedder


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "its own embedder is downloaded"
        _given.append(embed)
        self._path = str(folder / "index")
        transform = f"{__name__}.embedded"
        self._index = Embeddings(method="external", transform=transform, content=True, hybrid=True)
        if self._index.exists(self._path):
            self._index.load(self._path)

    def add(self, id: str, text: str) -> None:
        self.add_many({id: text})

    def add_many(self, texts: Mapping[str, str]) -> None:
        self._index.upsert([(id, text, None) for id, text in texts.items()])
        self._index.save(self._path)

    def recall(self, question: str, limit: int) -> list[str]:
        return [found["id"] for found in self._index.search(question, limit)]

    def delete(self, id: str) -> None:
        self._index.delete([id])
        self._index.save(self._path)

    def close(self) -> None:
        self._index.close()


def embedded(texts: Sequence[str]) -> Vectors:
    """Embed with the last given embedder; a stored index names this function."""
    return _given[-1](list(texts))
