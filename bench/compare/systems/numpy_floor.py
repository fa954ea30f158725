"""An array of vectors and a list of texts, in one file that is written anew."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from bench.compare.vectors import Embed, Vectors


class System:
    def __init__(self, folder: Path, embed: Embed | None) -> None:
        assert embed, "it has no embedder of its own"
        self._embed, self._file = embed, folder / "texts.json"
        stored = json.loads(self._file.read_text("utf-8")) if self._file.exists() else {}
        self._texts: dict[str, str] = stored
        self._rows = self._embedded(list(stored.values()))

    def add(self, id: str, text: str) -> None:
        self.add_many({id: text})

    def add_many(self, texts: Mapping[str, str]) -> None:
        new = {id: text for id, text in texts.items() if id not in self._texts}
        self._rows = np.concatenate([self._rows, self._embedded(list(new.values()))])
        self._texts |= new
        self._write()

    def recall(self, question: str, limit: int) -> list[str]:
        scores = self._rows @ self._embed([question])[0]
        ids = list(self._texts)
        return [ids[at] for at in np.argsort(-scores)[:limit]]

    def delete(self, id: str) -> None:
        at = list(self._texts).index(id)
        del self._texts[id]
        self._rows = np.delete(self._rows, at, axis=0)
        self._write()

    def close(self) -> None:
        self._write()

    def _embedded(self, texts: list[str]) -> Vectors:
        return self._embed(texts) if texts else np.zeros((0, self._embed(["one"]).shape[1]), "f4")

    def _write(self) -> None:
        new = self._file.with_suffix(f".{os.getpid()}")
        with new.open("w", encoding="utf-8") as stream:
            json.dump(self._texts, stream)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(self._file)
