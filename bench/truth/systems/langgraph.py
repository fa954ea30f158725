"""LangGraph's SqliteStore: a key holds its last value. Without times, `as_of` is not offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.compare import vectors
from bench.compare.systems.langgraph import System as Store

FOUND = 5


class System:
    def __init__(self, folder: Path, typed: bool) -> None:
        self._store, self._typed = Store(folder, vectors.of_words(256)), typed
        self._texts: dict[str, str] = {}

    def add(self, turn: dict[str, Any]) -> None:
        if not self._typed:
            for part in ("says", "tool"):
                if part in turn:
                    self._put(f"{part}{len(self._texts)}", turn[part])
            return
        for change in turn["changes"]:
            if "text" in change:
                self._put(change["name"], change["text"])
            else:
                self._store.delete(change["name"])

    def live(self, question: str) -> list[str]:
        return [self._texts[key] for key in self._store.recall(question, FOUND)]

    def as_of(self, question: str, time: str) -> list[str] | None:  # noqa: ARG002
        return None

    def _put(self, key: str, text: str) -> None:
        self._texts[key] = text
        self._store.add(key, text)
