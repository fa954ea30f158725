"""Quotations are found although models copy them with small changes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.learning.grounding.quotation import nearly, places

COPIED = [
    ("I live in Lisbon.", "I live in Lisbon", "I live in Lisbon"),
    ("I  live in\nLisbon!", "i live in lisbon", "I  live in\nLisbon"),
    ("It’s “fine” — really", "It's \"fine\" - really", "It’s “fine” — really"),
    ("私はＰｙｔｈｏｎを使う", "Pythonを使う", "Ｐｙｔｈｏｎを使う"),
    ("我用 pnpm，不用 npm", "我用pnpm, 不用npm", "我用 pnpm，不用 npm"),
    ("Cafe\u0301 Müller", "café muller", "Cafe\u0301 Müller"),
    ("मैं दिल्ली में हूँ", "मैं दिल्ली में", "मैं दिल्ली में"),
    ("İSTANBUL'da", "istanbul'da", "İSTANBUL'da"),
    ("I work at Acme. It pays. I do sales.", "I work at Acme … sales",
     "I work at Acme. It pays. I do sales"),
    ("a [...] b", "a [...] b", "a [...] b"),
    ("👍", "👍", "👍"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "quote", "found"), COPIED)
def test_a_quotation_is_found_as_it_stands_in_the_text(text: str, quote: str, found: str) -> None:
    """Regardless of case, spaces, punctuation and Unicode forms; an ellipsis joins two places."""
    at = next(places(quote, text))
    assert text[at[0].start : at[-1].end] == found


@pytest.mark.parametrize(
    ("text", "quote"),
    [("I start", "art"), ("", "x"), ("x", ""), ("b … a", "a … b"), ("1990", "19")],
)
def test_parts_of_words_are_no_quotations(text: str, quote: str) -> None:
    assert not list(places(quote, text))


def test_a_quotation_with_another_word_is_of_the_sentence_that_has_most_of_it() -> None:
    text = "Hello. My brother moved to Porto last week. Bye."
    place = nearly("my brother has moved to Porto", text)
    assert place is not None
    assert text[place.start : place.end].strip() == "My brother moved to Porto last week."
    assert nearly("my sister bought a boat", text) is None


@given(st.text(max_size=40), st.text(max_size=80))
def test_places_are_inside_the_text(quote: str, text: str) -> None:
    for at in places(quote, text):
        assert all(0 <= place.start < place.end <= len(text) for place in at)


def test_a_long_text_takes_no_quadratic_time() -> None:
    start = time.process_time()
    list(places("a" * 500 + "b", "a" * 50_000))
    list(places("a … a … b", "a " * 25_000))
    assert time.process_time() - start < 5
