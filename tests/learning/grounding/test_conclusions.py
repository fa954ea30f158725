"""Conclusions that a model draws, told from statements in other words."""

from __future__ import annotations

from pathlib import Path

import pytest

from erstwhile.adapters.embedders.cached import CachedEmbedder
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.errors import EmbedderError
from erstwhile.learning.grounding.conclusions import is_conclusion
from erstwhile.recall.paraphrases import Paraphrases, paraphrases_of
from tests.doubles import raising

_ROWS = [
    tuple(cell.strip() for cell in line.split("|"))
    for line in (Path(__file__).parents[1] / "data" / "conclusions.txt")
    .read_text("utf-8")
    .splitlines()
    if not line.startswith("#")
]
_EMBEDDER = CachedEmbedder(UniversalEmbedder())


def _concludes(statement: str, said: str, paraphrases: Paraphrases | None) -> bool:
    return is_conclusion(statement, [said], said, paraphrases)


def test_conclusions_are_told_from_statements_in_other_words() -> None:
    """At first sight 25 and 19 of 25 were right; the rest were in languages not recognised yet."""
    meaning = paraphrases_of(_EMBEDDER)
    believed = [same for _, said, same, _ in _ROWS if not _concludes(same, said, meaning)]
    held = [other for _, said, _, other in _ROWS if _concludes(other, said, meaning)]
    assert len(believed) == 25
    assert len(held) >= 23


@pytest.mark.parametrize(
    ("said", "statement", "concluded"),
    [
        ("I bought a stroller on Saturday", "The user is pregnant", True),
        ("I bought a stroller on Saturday", "The user bought a stroller", False),
        # A name or a number is judged by who said it.
        ("I bought a stroller on Saturday", "The user shops at Lidl", False),
        # How to answer is an order, and no sentence to compare with.
        ("and please no small talk, I hate it", "The user wants concise answers", False),
    ],
)
def test_a_conclusion_means_something_else(said: str, statement: str, concluded: bool) -> None:
    assert _concludes(statement, said, paraphrases_of(_EMBEDDER)) is concluded
    assert not _concludes(statement, said, None)  # words alone do not tell


@pytest.mark.parametrize("said", ["Ostin juuri mökin", "Jag har köpt en barnvagn", "मैंने घर खरीदा"])
def test_a_language_that_the_embedder_does_not_know_is_believed(said: str) -> None:
    assert not _concludes("The user is rich", said, paraphrases_of(_EMBEDDER))


def test_a_proposal_is_believed_if_the_embedder_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = UniversalEmbedder()
    monkeypatch.setattr(embedder, "embed", raising(EmbedderError("the model is gone")))
    failing = paraphrases_of(embedder)
    assert not _concludes("The user is pregnant", "I bought a stroller on Saturday", failing)


def test_an_embedder_that_nobody_measured_is_not_asked() -> None:
    assert paraphrases_of(HashingEmbedder()) is None
    assert paraphrases_of(None) is None
