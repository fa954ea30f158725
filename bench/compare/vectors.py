"""The embedders of the comparison: cheap vectors for speed, and a table of ours for quality.

Only numpy is needed, since this runs in the environments of the peers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[Sequence[str]], Vectors]
_ROWS = 4_096
_KEYS = "keys.json"
_TABLE = "vectors.npy"


def of_words(dimensions: int) -> Embed:
    """Return an embedder that adds up random vectors of the words."""
    directions = np.random.default_rng(7).standard_normal((_ROWS, dimensions), np.float32)

    def embed(texts: Sequence[str]) -> Vectors:
        rows = [[crc32(word.encode()) % _ROWS for word in text.lower().split()] for text in texts]
        return _unit(np.stack([directions[row or [0]].sum(axis=0) for row in rows]))

    return embed


def of_table(folder: Path) -> Embed:
    """Return an embedder that looks texts up in a table; an unknown text is a KeyError."""
    table: Vectors = np.load(folder / _TABLE)
    places = {key: at for at, key in enumerate(json.loads((folder / _KEYS).read_text("utf-8")))}

    def embed(texts: Sequence[str]) -> Vectors:
        return table[[places[_key(text)] for text in texts]]

    return embed


def write_table(folder: Path, texts: Sequence[str], embed: Embed) -> None:
    """Embed all texts once, for `of_table`."""
    unique = list(dict.fromkeys(text.strip() for text in texts))
    np.save(folder / _TABLE, np.concatenate([embed([text]) for text in unique]))
    (folder / _KEYS).write_text(json.dumps(list(map(_key, unique))), "utf-8")


def _key(text: str) -> str:
    return sha256(text.strip().encode()).hexdigest()[:16]


def _unit(rows: Vectors) -> Vectors:
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32)
    return unit
