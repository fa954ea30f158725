"""LangGraph's SqliteStore.

Its setting `fields` is ignored: without the `index` of each put it embeds the whole JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from bench.compare.vectors import Embed

_OWNER = ("ana",)
_FIELDS = ["text"]


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "it has no embedder of its own"
        self._connection = sqlite3.connect(
            folder / "store.db", check_same_thread=False, isolation_level=None, timeout=30
        )
        dimensions = len(embed(["one"])[0])
        self._store = SqliteStore(
            self._connection,
            index={
                "dims": dimensions,
                "embed": lambda texts: embed(list(texts)).tolist(),
                "fields": ["text"],
            },
        )
        self._store.setup()

    def add(self, id: str, text: str) -> None:
        self._store.put(_OWNER, id, {"text": text}, index=_FIELDS)

    def add_many(self, texts: Mapping[str, str]) -> None:
        self._store.batch(
            [PutOp(_OWNER, id, {"text": text}, _FIELDS) for id, text in texts.items()]
        )

    def recall(self, question: str, limit: int) -> list[str]:
        return [item.key for item in self._store.search(_OWNER, query=question, limit=limit)]

    def delete(self, id: str) -> None:
        self._store.delete(_OWNER, id)

    def close(self) -> None:
        self._connection.close()
