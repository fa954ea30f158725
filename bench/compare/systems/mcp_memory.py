"""The sqlite_vec storage of mcp-memory-service, as its server uses it.

It knows a text by its hash and has no ids, so the adapter keeps them as tags.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_memory_service.models.memory import Memory
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
from mcp_memory_service.utils.hashing import generate_content_hash

from bench.compare.vectors import Embed, Vectors


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "its own embedder is downloaded"
        self._loop = asyncio.new_event_loop()
        self._storage = _Storage(str(folder / "memory.db"))
        self._storage.given = embed
        self._loop.run_until_complete(self._storage.initialize())

    def add(self, id: str, text: str) -> None:
        stored, told = self._loop.run_until_complete(self._storage.store(_memory(id, text)))
        if not stored:
            raise RuntimeError(told)

    def add_many(self, texts: Mapping[str, str]) -> None:
        memories = [_memory(id, text) for id, text in texts.items()]
        self._loop.run_until_complete(self._storage.store_batch(memories))

    def recall(self, question: str, limit: int) -> list[str]:
        found = self._loop.run_until_complete(self._storage.retrieve(question, limit))
        return [each.memory.tags[0] for each in found]

    def delete(self, id: str) -> None:
        self._loop.run_until_complete(self._storage.delete_by_tag(id))

    def close(self) -> None:
        self._loop.run_until_complete(self._storage.close())


class _Storage(SqliteVecMemoryStorage):  # type: ignore[misc]
    given: Embed

    async def _initialize_embedding_model(self) -> None:
        self.embedding_model = _Model(self.given)
        self.embedding_dimension = len(self.given(["one"])[0])


class _Model:
    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def encode(self, texts: Sequence[str], **_: Any) -> Vectors:
        return self._embed(list(texts))


def _memory(id: str, text: str) -> Memory:
    return Memory(content=text, content_hash=generate_content_hash(text), tags=[id])
