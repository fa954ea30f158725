"""Chroma's persistent client."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import chromadb
from chromadb.config import Settings

from bench.compare.vectors import Embed


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "its own embedder is downloaded"
        self._embed = embed
        self._client = chromadb.PersistentClient(
            path=str(folder), settings=Settings(anonymized_telemetry=False)
        )
        self._texts = self._client.get_or_create_collection("texts", embedding_function=None)

    def add(self, id: str, text: str) -> None:
        self.add_many({id: text})

    def add_many(self, texts: Mapping[str, str]) -> None:
        ids, documents = list(texts), list(texts.values())
        most = self._client.get_max_batch_size()
        for start in range(0, len(ids), most):
            part = slice(start, start + most)
            self._texts.add(
                ids=ids[part], documents=documents[part], embeddings=self._embed(documents[part])
            )

    def recall(self, question: str, limit: int) -> list[str]:
        found = self._texts.query(query_embeddings=self._embed([question]), n_results=limit)
        ids: list[str] = found["ids"][0]
        return ids

    def delete(self, id: str) -> None:
        self._texts.delete(ids=[id])

    def close(self) -> None:
        pass
