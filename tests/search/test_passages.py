"""Passages of long texts."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.search.passages import LONGEST, SIZE, split

SENTENCE = "The ferry to Horta leaves at nine and takes three hours. "
ODD_LINES = (
    "x" * 90,
    "Yes.",
    "1. A list item",
    "# A heading",
    "```",
    "| a | b |",
    "好的。",
    "\n",
    " ",
)

texts = st.text(max_size=3_000) | st.lists(
    st.sampled_from((*ODD_LINES, SENTENCE)), max_size=60
).map("\n".join)


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


@given(texts)
def test_passages_cover_the_text_in_order(text: str) -> None:
    spans = split(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(end == start for (_, end), (start, _) in pairwise(spans))


@given(texts)
def test_no_passage_is_empty_or_too_long(text: str) -> None:
    lengths = [end - start for start, end in split(text)]
    assert max(lengths) <= LONGEST
    assert min(lengths) > 0 or not text


@pytest.mark.parametrize("text", ["", "Ana likes tea.", SENTENCE * 5, "我们用的是什么数据库？"])
def test_a_short_text_is_one_passage(text: str) -> None:
    assert split(text) == [(0, len(text))]


def test_sentences_stay_whole() -> None:
    found = pieces(SENTENCE * 40)
    assert len(found) > 5
    assert all(piece.startswith("The ferry") and piece.endswith("hours. ") for piece in found)


def test_the_number_of_a_list_item_stays_with_it() -> None:
    found = pieces(" ".join(f"{number}. {SENTENCE}" for number in range(1, 60)))
    assert not [piece for piece in found if piece.rstrip()[-2].isdigit()]


def test_a_heading_begins_a_passage() -> None:
    text = f"{SENTENCE * 3}\n## Prices\n{SENTENCE * 4}"
    assert [piece[:9] for piece in pieces(text)] == ["The ferry", "## Prices"]


def test_a_short_rest_belongs_to_the_passage_before() -> None:
    found = pieces(SENTENCE * 6 + "Bring a coat.")
    assert found[-1].endswith("Bring a coat.")
    assert len(found[-1]) > SIZE / 3


def test_passages_of_chinese_have_fewer_characters() -> None:
    found = pieces("这家店的生产数据库是新的。" * 60)
    assert max(map(len, found)) < SIZE / 1.5
    assert all(piece.endswith("。") for piece in found)


def test_words_stay_whole_without_punctuation() -> None:
    text = "and then we walked along the beach " * 60
    assert all(piece.endswith(" ") for piece in pieces(text))


@pytest.mark.parametrize(
    "unit", [".", " ", "\n", '."', "好", "好。", "A", "a=1;\n", " 1. ", ". \n", "\r\n"]
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    """Ten times the text takes far less than a hundred times as long."""
    short, long = unit * (20_000 // len(unit)), unit * (200_000 // len(unit))
    assert _seconds(long) < 40 * _seconds(short)


def _seconds(text: str) -> float:
    taken = []
    for _ in range(3):
        start = time.process_time()
        split(text)
        taken.append(time.process_time() - start)
    return min(taken)
