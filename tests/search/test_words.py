"""Snippets and scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.search import words


@given(st.text(), st.lists(st.text(min_size=1, max_size=5), max_size=5))
def test_a_snippet_is_a_part_of_any_text(text: str, terms: list[str]) -> None:
    """In one line, not too long, with an ellipsis where it was cut."""
    shown = words.snippet(text, terms)
    flat = " ".join(text.split())
    assert shown.strip("…") in flat or shown.strip("…") == flat.strip("…")
    assert len(shown) <= words.WIDTH + 2
    if len(flat) <= words.WIDTH:
        assert shown == flat


@pytest.mark.parametrize("place", [0, 1, 50, 99, 100])
def test_a_snippet_shows_the_word_wherever_it_stands(place: int) -> None:
    parts = ["filler"] * 100
    parts.insert(place, "treasures")
    shown = words.snippet(" ".join(parts), words.query_terms("treasure"))
    assert "treasures" in shown
    assert shown.startswith("…") == (place > 7)
    assert shown.endswith("…") == (place < 90)


def test_a_snippet_is_taken_where_most_of_the_words_are() -> None:
    text = "tea " + "filler " * 100 + "green tea with milk " + "filler " * 100 + "milk"
    assert "green tea with milk" in words.snippet(text, words.query_terms("green tea milk"))


def test_a_very_long_text_is_looked_through_in_part() -> None:
    """Without a match its beginning is shown."""
    shown = words.snippet("filler " * 20_000 + "tea", words.query_terms("tea"))
    assert shown.startswith("filler")


def test_rarer_words_and_more_of_them_score_higher() -> None:
    holding = {"tea": 20, "green": 2}
    documents = [["tea"], ["green"], ["green", "tea"], ["milk"]]
    tea, green, both, milk = words.scores(holding, 100, documents)
    assert both > green > tea > milk == 0
