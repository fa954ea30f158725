"""Ids are UUIDv7 and sort by their time."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import InvalidInputError, NotFoundError
from erstwhile.core.ids import MAX_ID, MIN_ID, id_in_cursor, id_range, new_id, short_id

START = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MOMENTS = st.datetimes(
    min_value=START.replace(tzinfo=None), timezones=st.just(UTC)
)  # the time field of a UUIDv7 has no sign


@given(MOMENTS)
def test_an_id_is_a_uuid_of_version_7(moment: datetime) -> None:
    """Version and variant bits are where RFC 9562 puts them, and the text is the usual one."""
    made = new_id(moment)
    parsed = uuid.UUID(made)
    assert str(parsed) == made
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122
    assert parsed.int >> 76 & 0xF == 7
    assert parsed.int >> 62 & 0b11 == 0b10


@given(MOMENTS)
def test_an_id_holds_its_milliseconds(moment: datetime) -> None:
    assert uuid.UUID(new_id(moment)).int >> 80 == (moment - START) // timedelta(milliseconds=1)


@given(MOMENTS, st.integers(1, 10**9))
def test_ids_sort_by_time_to_the_microsecond(moment: datetime, later: int) -> None:
    if moment.year == 9999:
        moment = moment.replace(year=9998)
    one, other = new_id(moment), new_id(moment + later * MICROSECOND)
    assert one < other
    assert short_id(one) < short_id(other)


def test_every_microsecond_of_a_millisecond_sorts() -> None:
    """The 12 bits after the milliseconds have room for all of them."""
    ids = [new_id(START + number * MICROSECOND) for number in range(3_000)]
    assert [short_id(each) for each in ids] == sorted({short_id(each) for each in ids})


def test_ids_of_one_moment_differ() -> None:
    ids = [new_id(START) for _ in range(2_000)]
    assert len(set(ids)) == 2_000
    assert {each[19] for each in ids} == set("89ab")
    assert all({each[place] for each in ids} == set("0123456789abcdef") for place in (20, 24, 35))


def test_a_short_id_is_the_part_that_holds_the_time() -> None:
    made = new_id(START + timedelta(days=9))
    assert made.startswith(short_id(made))
    assert len(short_id(made)) == 18


@given(MOMENTS, st.integers(1, 36))
def test_a_range_holds_exactly_what_begins_so(moment: datetime, length: int) -> None:
    made = new_id(moment)
    lowest, highest = id_range(f" {made[:length].upper()} ")
    assert lowest <= made <= highest
    assert lowest.startswith(made[:length])
    assert highest.startswith(made[:length])
    assert lowest >= MIN_ID
    assert highest <= MAX_ID


def test_a_whole_id_is_a_range_of_one() -> None:
    made = new_id(START)
    assert id_range(made) == (made, made)


@pytest.mark.parametrize("given", ["%", "_", "0_", "g", "0198/", "0" * 37, "é"])
def test_what_is_no_beginning_of_an_id_is_refused(given: str) -> None:
    """It would match the wrong record, or all of them."""
    with pytest.raises(NotFoundError, match="is not an id"):
        id_range(given)
    with pytest.raises(InvalidInputError, match="is not a cursor"):
        id_in_cursor(given)


@pytest.mark.parametrize("given", ["0\0", "\ud800"])
def test_what_no_text_may_have_is_refused(given: str) -> None:
    with pytest.raises(InvalidInputError, match="control characters"):
        id_range(given)


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_id_is_called_blank(blank: str) -> None:
    with pytest.raises(InvalidInputError, match="blank"):
        id_range(blank)


@pytest.mark.parametrize("other", [None, 5, b"0"])
def test_an_id_that_is_no_text_is_not_called_blank(other: Any) -> None:
    with pytest.raises(InvalidInputError, match="must be text"):
        id_range(other)
