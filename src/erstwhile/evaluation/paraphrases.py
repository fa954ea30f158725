"""Read short facts with questions in other words, in several languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from erstwhile.evaluation.haystack import Haystack, Item, Question

BUNDLED: Mapping[str, Path] = {
    "paraphrases": Path(__file__).parent / "sets" / "paraphrases.json",
    "held-out": Path(__file__).parent / "sets" / "held_out.json",
}
"""Our own sets. Tune on the first one; the other one only tells whether that helped in general."""


def read_paraphrases(pairs: Sequence[Mapping[str, str]]) -> list[Haystack]:
    """Return a haystack for each language, all with the same facts."""
    items = [Item(id=pair["fact"], text=pair["fact"]) for pair in pairs]
    languages = dict.fromkeys(name for pair in pairs for name in pair if name != "fact")
    return [
        Haystack(name=language, items=items, questions=_questions(pairs, language))
        for language in languages
    ]


def _questions(pairs: Sequence[Mapping[str, str]], language: str) -> list[Question]:
    return [
        Question(text=pair[language], relevant={pair["fact"]}, category=language)
        for pair in pairs
        if language in pair
    ]
