"""The signals from use and feedback."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.facts.feedback import Used, balance, day_of, query_bit

days = st.dictionaries(st.integers(0, 99), st.integers(1, 2**62 - 1), max_size=20)


def test_a_day_is_one_in_utc() -> None:
    assert day_of(datetime(1970, 1, 1, 23, 59, tzinfo=UTC)) == 0
    assert day_of(datetime(1970, 1, 3, tzinfo=UTC)) == 2
    east = timezone(timedelta(hours=9))
    assert day_of(datetime(1970, 1, 3, 8, tzinfo=east)) == 1


@given(st.text())
def test_a_question_is_one_bit_that_fits_into_a_signed_integer(query: str) -> None:
    bit = query_bit(query)
    assert bit.bit_count() == 1
    assert bit < 2**62


def test_the_same_question_is_the_same_bit_everywhere() -> None:
    assert query_bit("Where is  Ana?") == query_bit("where is ana?") == 1 << 14


def test_many_questions_have_many_bits() -> None:
    assert len({query_bit(f"question {number}") for number in range(1_000)}) == 62


@given(days)
def test_noting_day_after_day_comes_to_the_sum_of_the_days(told: dict[int, int]) -> None:
    expected = sum(bits.bit_count() * 0.5 ** ((100 - day) / 30) for day, bits in told.items())
    used = Used(0, 0, 0.0)
    for day, bits in told.items():
        used = used.again(day, bits, 365.0)
    assert used.until(100, 365.0) == pytest.approx(expected)


def test_a_question_counts_once_a_day() -> None:
    used = Used(7, 0b1, 0.0).again(7, 0b1, 365.0).again(7, 0b10, 365.0)
    assert used.until(8, 1e9) == pytest.approx(2, rel=0.05)


def test_what_is_of_today_or_later_does_not_count_yet() -> None:
    used = Used(7, 0b1, 4.0)
    assert used.until(7, 365.0) == 4.0
    assert used.until(6, 365.0) == 0.0


def test_use_fades_by_half_in_a_month_and_sooner_where_facts_age_sooner() -> None:
    used = Used(70, 0b11, 0.0)
    assert used.until(100, 1_825) == pytest.approx(1)
    assert used.until(77, 7) == pytest.approx(1)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_opinions_are_weighed_between_two_ends(useful: int, irrelevant: int) -> None:
    told = balance(useful, irrelevant)
    assert -1 < told < 1
    assert balance(irrelevant, useful) == -told
    assert balance(useful + 1, irrelevant) > told


def test_one_opinion_alone_moves_little() -> None:
    assert balance(0, 0) == 0
    assert balance(1, 0) == pytest.approx(1 / 3)
