"""Create many realistic vectors, and measure whether a search finds the nearest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.search.vectors import PartitionVectors, pack


def sentences(locomo: Path) -> tuple[list[str], list[str]]:
    """Return the turns and the questions of LoCoMo."""
    samples = json.loads(locomo.read_text("utf-8"))
    turns = [
        turn["text"]
        for sample in samples
        for session in sample["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]
    return turns, [each["question"] for sample in samples for each in sample["qa"]]


def embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    embedder = UniversalEmbedder()
    return np.concatenate([embedder.embed([text]) for text in texts])


def multiplied(vectors: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return `count` vectors: the given ones, then blends of two with more of the first."""
    random = np.random.default_rng(0)
    ones, others = random.integers(0, len(vectors), (2, max(count - len(vectors), 0)))
    shares = random.uniform(0.1, 0.7, (len(ones), 1)).astype(np.float32)
    blends = vectors[ones] + shares * vectors[others]
    blends /= np.linalg.norm(blends, axis=1, keepdims=True)
    return np.concatenate([vectors, blends])[:count]


def recall_at_10(vectors: NDArray[np.float32], questions: NDArray[np.float32]) -> float:
    """Return the share of the ten nearest of an exact scan that our search finds."""
    held = PartitionVectors(vectors.shape[1])
    held.update((seq, seq, pack(vector)) for seq, vector in enumerate(vectors))
    found = 0
    for question in questions:
        nearest = np.argsort(-(vectors @ question))[:10]
        found += len(np.intersect1d(nearest, held.search(question, 10).seqs))
    return found / (10 * len(questions))
