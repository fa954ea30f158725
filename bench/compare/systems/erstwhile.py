"""Erstwhile: facts of one user; the given id is metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import erstwhile
from bench.compare.vectors import Embed, Vectors


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        embedder = Embedder(embed) if embed else "universal"
        self._opened = erstwhile.open(folder / "memory.db", embedder=embedder)
        self._memory = self._opened.scoped(user="ana")

    def add(self, id: str, text: str) -> None:
        self._memory.remember(text, metadata={"id": id})

    def add_many(self, texts: Mapping[str, str]) -> None:
        self._memory.remember_many(
            {"text": text, "metadata": {"id": id}} for id, text in texts.items()
        )
        self._memory.flush(600)

    def recall(self, question: str, limit: int) -> list[str]:
        return [hit.fact.metadata["id"] for hit in self._memory.recall(question, limit)]

    def delete(self, id: str) -> None:
        self._memory.facts.erase(
            *(each.id for each in self._memory.facts.list(metadata={"id": id}))
        )

    def close(self) -> None:
        self._memory.flush(600)
        self._opened.close()


class Embedder:
    """A function in the shape of an embedder."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self.dimensions = embed(["one"]).shape[1]
        self.model = f"compare/{self.dimensions}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002
        return self._embed(texts)
