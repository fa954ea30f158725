"""The words of passages are whole, however long they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.search import whole_words
from erstwhile.search.passages import split
from erstwhile.search.terms import terms


@given(st.text(alphabet="ab c.é\n字", max_size=3_000))
def test_no_word_is_lost_or_cut(text: str) -> None:
    """The words of all passages are the words of the text."""
    parts = whole_words.whole_words(text, split(text))
    assert " ".join(" ".join(parts).split()).replace(" ", "") == "".join(text.split())


def test_a_word_longer_than_passages_is_found_whole() -> None:
    word = "x" * 5_000
    first, *others = whole_words.whole_words(f"a {word} b", split(f"a {word} b"))
    assert terms(word)[0] in terms(first)
    assert "x" not in "".join(others)


def test_the_end_of_a_word_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a text without spaces would take quadratic time."""
    asked = list[int]()
    word_end = whole_words._word_end

    def noting(text: str, end: int) -> int:
        asked.append(end)
        return word_end(text, end)

    monkeypatch.setattr(whole_words, "_word_end", noting)
    text = "x" * 100_000
    assert len("".join(whole_words.whole_words(text, split(text)))) == len(text)
    assert len(asked) == 1
