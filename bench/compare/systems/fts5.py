"""SQLite's full-text search, without any package."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.compare.vectors import Embed


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:  # noqa: ARG002
        self._connection = sqlite3.connect(folder / "texts.db", timeout=30)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING"
            " fts5(id UNINDEXED, text, tokenize = 'porter unicode61')"
        )

    def add(self, id: str, text: str) -> None:
        self.add_many({id: text})

    def add_many(self, texts: Mapping[str, str]) -> None:
        with self._connection:
            self._connection.executemany("INSERT INTO texts VALUES (?, ?)", texts.items())

    def recall(self, question: str, limit: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        found = self._connection.execute(
            "SELECT id FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT ?",
            (words or '""', limit),
        )
        return [id for (id,) in found]

    def delete(self, id: str) -> None:
        with self._connection:
            self._connection.execute("DELETE FROM texts WHERE id = ?", (id,))

    def close(self) -> None:
        self._connection.close()
