"""Questions in many languages about facts in English: a list of pairs in JSON."""

from __future__ import annotations

import json
from pathlib import Path

from erstwhile.evaluation.haystack import Haystack, Item, Question


def read_pairs(file: Path) -> Haystack:
    """Read all facts into one haystack; the category of a question is its language."""
    pairs: list[dict[str, str]] = json.loads(file.read_text("utf-8"))
    facts = [pair.pop("fact") for pair in pairs]
    return Haystack(
        name="pairs",
        items=[Item(id=fact, text=fact) for fact in facts],
        questions=[
            Question(text=question, relevant={fact}, category=language)
            for fact, pair in zip(facts, pairs, strict=True)
            for language, question in pair.items()
        ],
    )
