"""The floor: SQLite's full-text search over everything that was ever said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.compare.systems.fts5 import System as Store

FOUND = 5


class System:
    def __init__(self, folder: Path, typed: bool) -> None:
        self._store, self._typed = Store(folder, None), typed
        self._texts: list[str] = []

    def add(self, turn: dict[str, Any]) -> None:
        said = [turn["says"], turn.get("tool")]
        stated = [change.get("text") for change in turn["changes"]]
        for text in filter(None, stated if self._typed else said):
            self._store.add(str(len(self._texts)), text)
            self._texts.append(text)

    def live(self, question: str) -> list[str]:
        return [self._texts[int(id)] for id in self._store.recall(question, FOUND)]

    def as_of(self, question: str, time: str) -> list[str] | None:  # noqa: ARG002
        return None
