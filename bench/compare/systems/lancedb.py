"""LanceDB with full-text and vector search, joined by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import lancedb
import pyarrow as pa

from bench.compare.vectors import Embed


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "it has no embedder of its own"
        self._embed = embed
        vector = pa.list_(pa.float32(), len(embed(["one"])[0]))
        schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("vector", vector)])
        database = lancedb.connect(folder)
        self._table = database.create_table("texts", schema=schema, exist_ok=True)
        if not self._table.list_indices():
            self._table.create_fts_index("text")

    def add(self, id: str, text: str) -> None:
        self._table.add([{"id": id, "text": text, "vector": self._embed([text])[0]}])

    def add_many(self, texts: Mapping[str, str]) -> None:
        rows = zip(texts.items(), self._embed(list(texts.values())), strict=True)
        self._table.add([{"id": id, "text": text, "vector": row} for (id, text), row in rows])
        self._table.optimize()

    def recall(self, question: str, limit: int) -> list[str]:
        search = self._table.search(query_type="hybrid").vector(self._embed([question])[0])
        return [row["id"] for row in search.text(question).limit(limit).to_list()]

    def delete(self, id: str) -> None:
        self._table.delete(f"id = '{id}'")

    def close(self) -> None:
        pass
