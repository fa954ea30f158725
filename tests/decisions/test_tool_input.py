"""The comparison of two tool inputs by words."""

from __future__ import annotations

import re
import string
from math import sqrt

from hypothesis import given
from hypothesis import strategies as st

from erstwhile.decisions.draft import split_words, word_similarity

said = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(st.text(st.characters(max_codepoint=127) | st.sampled_from(string.printable)))
def test_ascii_text_is_split_into_words(text: str) -> None:
    assert split_words(text) == re.findall(r"\w+", text.lower())


def test_case_and_order_do_not_matter() -> None:
    ours = frozenset(split_words("git push --Force"))
    assert word_similarity(ours, split_words("FORCE push, git")) == 1.0


@given(said, said, st.floats(0, 1))
def test_a_similarity_of_zero_is_below_the_floor(
    ours: list[str], theirs: list[str], floor: float
) -> None:
    mine, others = frozenset(ours), frozenset(theirs)
    whole = len(mine & others) / sqrt(len(mine) * len(others)) if mine & others else 0.0
    assert word_similarity(mine, theirs) == whole == word_similarity(others, ours)
    assert word_similarity(mine, theirs, floor) == whole or whole < floor
