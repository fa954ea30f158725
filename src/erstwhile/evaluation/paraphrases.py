"""Read short facts with questions in other words, in several languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from erstwhile.evaluation.haystack import Haystack, Item, Question

_SETS = Path(__file__).parent / "sets"
BUNDLED: Mapping[str, Path] = {
    "paraphrases": _SETS / "paraphrases.json",
    "agent-memories": _SETS / "agent_memories.json",
    "held-out": _SETS / "held_out.json",
}
"""Our own sets. The last one only tells whether what was tuned on the others helps in general."""


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
