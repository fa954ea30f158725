"""Dates in phrases, and the period that a query names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.time import EPOCH
from erstwhile.search.dates import DatePeriod, date_words, named_period, read_date

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("Where was she in May 2025?", "2025-05-01", "2025-06-01"),
        ("where was she in may", "2025-05-01", "2025-06-01"),
        ("what happened in February", "2026-02-01", "2026-03-01"),
        ("in Dec 2024", "2024-12-01", "2025-01-01"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("on May 7th, 2023", "2023-05-07", "2023-05-08"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("on 2024-02-29 we met", "2024-02-29", "2024-03-01"),
        ("back in 2019", "2019-01-01", "2020-01-01"),
        ("2024年5月他在哪里", "2024-05-01", "2024-06-01"),
        ("2024年12月3日", "2024-12-03", "2024-12-04"),
        ("2023年", "2023-01-01", "2024-01-01"),
        ("yesterday", "2026-03-14", "2026-03-15"),
        ("Where did she use to live? She used to…", EPOCH.isoformat(), NOW.isoformat()),
        ("previously", EPOCH.isoformat(), NOW.isoformat()),
        ("以前住在哪里", EPOCH.isoformat(), NOW.isoformat()),
        ("かつて", EPOCH.isoformat(), NOW.isoformat()),
    ],
)
def test_a_period_is_read(question: str, start: str, end: str) -> None:
    assert named_period(question, NOW) == (day(start), day(end))


@pytest.mark.parametrize(
    "question", ["last week", "last month", "last year", "上周", "上个月", "去年"]
)
def test_a_relative_period_ends_today_at_the_latest(question: str) -> None:
    period = named_period(f"what did we do {question}?", NOW)
    assert period is not None
    assert period[0] < period[1] <= NOW


@pytest.mark.parametrize(
    "question",
    ["What does Ana prefer?", "may I ask", "march on", "version 2024.1 of it", "9999", "2025-13-45",
     "on 31 February 2025", "currently", "", "the secretary of state", "decide"],
)  # fmt: skip
def test_no_period_is_read_into_a_question(question: str) -> None:
    assert named_period(question, NOW) is None


@given(
    st.text()
    | st.from_regex(r"in (may|dec) \d{4}|\d{1,2} feb \d{4}|20\d\d-\d\d-\d\d|\d{4}年\d\d月")
)
def test_any_question_is_read(question: str) -> None:
    period = named_period(question, NOW)
    assert (
        period is None
        or period[0] < period[1] <= period[0] + timedelta(days=366)
        or period[1] == NOW
    )


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
