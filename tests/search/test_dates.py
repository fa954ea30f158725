"""Dates in phrases."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.search.dates import DatePeriod, date_words, read_date

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "text", "start", "unit"),
    [
        ("english", "the day before yesterday", "2026-03-13", "day"),
        ("english", "3 days ago", "2026-03-12", "day"),
        ("english", "last week", "2026-03-02", "week"),
        ("english", "two months ago", "2026-01-01", "month"),
        ("english", "on Friday", "2026-03-13", "day"),
        ("english", "29 February", "2024-02-29", "day"),
        ("german", "am 7. Mai", "2025-05-07", "day"),
        ("german", "24.12.2020", "2020-12-24", "day"),
        ("german", "letztes Jahr", "2025-01-01", "year"),
        ("spanish", "hace tres semanas", "2026-02-16", "week"),
        ("french", "en mars 2024", "2024-03-01", "month"),
        ("chinese", "去年", "2025-01-01", "year"),
        ("chinese", "3个月前", "2025-12-01", "month"),
        ("korean", "2024년 5월 3일", "2024-05-03", "day"),
    ],
)
def test_a_date_is_read(language: str, text: str, start: str, unit: str) -> None:
    found = read_date(text, date_words(language), NOW)
    assert found is not None
    assert (found.start, found.unit) == (day(start), unit)


def test_a_date_without_a_year_may_be_in_the_future() -> None:
    words = date_words("english")
    assert read_date("until 7 May", words, NOW, past=False) == DatePeriod(
        day("2026-05-07"), "day", has_year=False
    )
    assert read_date("on Sunday", words, NOW, past=False) == DatePeriod(day("2026-03-22"), "day")


def test_a_day_outside_the_calendar_is_no_date() -> None:
    assert read_date("31 June", date_words("english"), NOW) is None
    assert read_date("whenever", date_words("klingon"), NOW) is None
