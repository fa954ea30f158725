"""The memory of mem0, with Qdrant on disk and without inference.

Its embedder is replaced after opening, because it takes only providers that it knows; no call to
a language model is made.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"  # it is read by the import

from mem0 import Memory

from bench.compare.vectors import Embed

_OWNER = {"user_id": "ana"}
_NO_MODEL = {"provider": "openai", "config": {"api_key": "none"}}


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "its own embedder is on a server"
        self._memory = opened(folder, embed)

    def add(self, id: str, text: str) -> None:
        self._memory.add(text, **_OWNER, metadata={"given": id}, infer=False)

    def add_many(self, texts: Mapping[str, str]) -> None:
        for id, text in texts.items():
            self.add(id, text)

    def recall(self, question: str, limit: int) -> list[str]:
        found = self._memory.search(question, top_k=limit, filters=_OWNER)
        return [each["metadata"]["given"] for each in found["results"]]

    def delete(self, id: str) -> None:
        found = self._memory.get_all(filters={**_OWNER, "given": id})
        for each in found["results"]:
            self._memory.delete(each["id"])

    def close(self) -> None:
        self._memory.vector_store.client.close()


def opened(folder: Path, embed: Embed) -> Memory:
    """Open a memory with the given embedder."""
    store = {
        "path": str(folder / "qdrant"),
        "on_disk": True,
        "embedding_model_dims": len(embed(["one"])[0]),
    }
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "llm": _NO_MODEL,
            "embedder": _NO_MODEL,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = _Embedder(embed)
    return memory


class _Embedder:
    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        [vector] = self.embed_batch([text])
        return vector

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:  # noqa: ARG002
        vectors: list[list[float]] = self._embed(list(texts)).tolist()
        return vectors
