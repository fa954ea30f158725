"""mem0 without a language model: what it would decide is given to it as calls of its own API.

It has no valid time, so `as_of` is not offered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.compare import vectors
from bench.compare.systems.mem0 import opened

FOUND, OWNER = 5, {"user_id": "ana"}


class System:
    def __init__(self, folder: Path, typed: bool) -> None:
        self._memory, self._typed = opened(folder, vectors.of_words(256)), typed
        self._ids: dict[str, str] = {}

    def add(self, turn: dict[str, Any]) -> None:
        if not self._typed:
            for part in ("says", "tool"):
                if part in turn:
                    self._memory.add(turn[part], **OWNER, infer=False)
            return
        for change in turn["changes"]:
            known = self._ids.get(change["name"])
            if known and "text" in change:
                self._memory.update(known, change["text"])
            elif known:
                self._memory.delete(known)
            else:
                added = self._memory.add(change["text"], **OWNER, infer=False)
                self._ids[change["name"]] = added["results"][0]["id"]

    def live(self, question: str) -> list[str]:
        found = self._memory.search(question, top_k=FOUND, filters=OWNER, threshold=0.0)
        return [each["memory"] for each in found["results"]]

    def as_of(self, question: str, time: str) -> list[str] | None:  # noqa: ARG002
        return None
