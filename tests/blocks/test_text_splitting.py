"""Texts are never split inside a grapheme or a fence, and nothing is lost."""

from __future__ import annotations

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.blocks.content import is_break, parts, split

PIECES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["A sentence. ", "One more! ", "一句话。", "\n", "\n\n", "word ", "```\ncode here\n```\n",
         "~~~\nopen", "\r\n",
         "👩‍👩‍👧", "🇩🇪🇫🇷", "e\u0301", "각", "\u1100\u1161\u11a8", "क्षि", "👍🏽"]
    ),
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=20).map("".join)
STEADY = settings(max_examples=400, derandomize=True, deadline=None, database=None)


def _boundaries(text: str) -> set[int]:
    return {found.end() for found in regex.finditer(r"\X", text)} | {0}


def _cut(text: str, limit: int) -> str:
    return split(text, lambda part: len(part) <= limit)[0]


@STEADY
@given(TEXTS, st.integers(1, 40))
def test_a_text_is_split_without_loss(text: str, limit: int) -> None:
    kept, rest = split(text, lambda part: len(part) <= limit)
    assert kept + rest == text
    assert len(kept) <= limit
    assert len(kept) in _boundaries(text)
    assert rest.strip() or not text.strip()


@STEADY
@given(TEXTS, st.integers(1, 40))
def test_the_parts_put_together_are_the_text(text: str, size: int) -> None:
    found = parts(text, size)
    assert "".join(found) == text
    assert all(part.strip() for part in found) or not text.strip()
    place = 0
    for part in found:
        assert place in _boundaries(text)
        place += len(part)


@STEADY
@given(st.text(max_size=12))
def test_a_break_is_one_for_unicode_too(text: str) -> None:
    ours = {at for at in range(1, len(text)) if is_break(text, at)}
    assert ours <= _boundaries(text)


def test_every_pair_of_characters_that_people_write_breaks_where_unicode_says() -> None:
    plain = "aZ0.,!é字あア한ñж"
    assert all(is_break(a + b, 1) for a in plain for b in plain)


def test_the_best_place_is_taken() -> None:
    assert _cut("One two. Three four five", 20) == "One two. "
    assert _cut("one\ntwo three four", 12) == "one\n"
    assert _cut("一句话。两句话说完了", 7) == "一句话。"
    assert _cut("one two three", 9) == "one two "
    assert _cut("onetwothree", 6) == "onetwo"
    assert _cut("e\u0301e\u0301e\u0301", 3) == "e\u0301"
    assert _cut('He said "No." Then', 16) == 'He said "No." '


def test_a_fence_stays_whole() -> None:
    fence = "````\n```\nx. y\n```\nz. w\n````\n"
    for limit in range(5, len(fence) + 3):
        assert _cut(f"tea\n{fence}milk", limit) == "tea\n"
    assert _cut("tea\n~~~\nnever. closed", 15) == "tea\n"
    assert parts(f"{fence}milk and tea", 10) == [fence.removesuffix("\n"), "\nmilk and ", "tea"]


def test_long_texts_are_cut_in_time_that_grows_with_them() -> None:
    looked = 0

    def fits(part: str) -> bool:
        nonlocal looked
        looked += len(part)
        return len(part) <= 1_000

    kept, _ = split("x" * 500_000, fits)
    assert len(kept) == 1_000
    assert looked < 30_000
    assert len(parts("x" * 500_000, 1_500)) == 334
