"""The texts in `data`: hostile, harmless and short-lived ones, written for these tests."""

from __future__ import annotations

from pathlib import Path

from bench.sets.guarding import Sample, read_samples

DATA = Path(__file__).parent / "data"


def samples(name: str) -> list[Sample]:
    return read_samples(DATA / f"{name}.jsonl")
