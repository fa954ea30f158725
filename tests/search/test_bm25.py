"""BM25 scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.search import bm25
from erstwhile.search.bm25 import Document, idf, rank

words = st.lists(st.sampled_from(["tea", "milk", "ana", "shop", "oven"]), max_size=12).map(" ".join)
several = st.lists(words, max_size=3)
documents = st.lists(st.builds(Document, several, several), max_size=6)
weights = st.dictionaries(
    st.sampled_from(["tea", "milk", "absent"]), st.floats(0.01, 10), min_size=1
)


def scores(weights: dict[str, float], *texts: str) -> list[float]:
    return [match.score for match in rank(weights, [Document([text]) for text in texts])]


def test_rarer_terms_tell_more() -> None:
    counts = [idf(holding, 100) for holding in (0, 1, 10, 50, 100)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] > 0


def test_more_of_the_question_is_better() -> None:
    both, one, none = scores({"tea": 1.0, "milk": 1.0}, "tea milk", "tea cup", "cup cup")
    assert both > one > none == 0.0


def test_repeating_a_word_gains_less_each_time() -> None:
    once, twice, often = scores({"tea": 1.0}, "tea a b c", "tea tea b c", "tea tea tea tea")
    assert twice - once > (often - twice) / 2 > 0


def test_a_longer_passage_scores_a_little_less() -> None:
    short, long = scores({"tea": 1.0}, "tea", "tea" + " cup" * 60)
    assert 0.7 * short < long < short


def test_the_best_passage_counts_and_is_named() -> None:
    [match] = rank({"tea": 1.0, "milk": 1.0}, [Document(["cup", "tea", "tea milk", "milk"])])
    assert match.passage == 2
    assert [match.score] == scores({"tea": 1.0, "milk": 1.0}, "tea milk")


def test_the_number_of_passages_does_not_count() -> None:
    few, many = rank({"tea": 1.0}, [Document(["tea"]), Document(["tea"] + ["tea cup"] * 20)])
    assert few.score == many.score


def test_only_whole_terms_match() -> None:
    assert scores({"tea": 1.0}, "team steal", "te a") == [0.0, 0.0]
    assert rank({"tea": 1.0}, [Document(["cup"], ["team steal"])])[0].score == 0.0


def test_a_neighbour_counts_less_than_the_text_itself() -> None:
    own, beside, nowhere = rank(
        {"tea": 1.0},
        [Document(["tea"], ["cup"]), Document(["cup"], ["tea"]), Document(["cup"], ["cup"])],
    )
    assert own.score > beside.score > nowhere.score == 0.0


@pytest.mark.parametrize(
    ("text", "neighbour"),
    [
        ("cup " * (bm25.MAX_WITH_CONTEXT + 1), "tea"),  # a long text stands for itself
        ("cup", "cup " * bm25.NEIGHBOUR_TERMS + "tea"),  # only the beginning counts
    ],
)
def test_what_does_not_count_scores_nothing(text: str, neighbour: str) -> None:
    assert rank({"tea": 1.0}, [Document([text], [neighbour])])[0].score == 0.0


@given(weights, documents)
def test_the_score_is_the_sum_of_its_parts_and_bounded(
    weights: dict[str, float], documents: list[Document]
) -> None:
    """A term gives at most 1.9 times its weight."""
    for document, match in zip(documents, rank(weights, documents), strict=True):
        assert match.score == pytest.approx(sum(match.terms.values()))
        assert match.score <= sum(weights.values()) * (bm25.SATURATION + 1)
        best = document.passages[match.passage : match.passage + 1]
        held = set(" ".join([*best, *document.neighbours]).split())
        assert set(match.terms) <= held & weights.keys()


def test_no_documents_give_no_matches() -> None:
    assert rank({"tea": 1.0}, []) == []
