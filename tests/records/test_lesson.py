"""The usefulness of lessons, and the surplus above the limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from erstwhile.core.scope import SHARED
from erstwhile.records.model import HALF_LIFE, MAX_LESSONS, Lesson, surplus

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lesson(id: str, occurrences: int = 1, age: timedelta = timedelta(0)) -> Lesson:
    return Lesson(
        id=id,
        scope=SHARED,
        created_at=NOON,
        changed_at=NOON,
        domain="code",
        rule=id,
        occurrences=occurrences,
        learned_at=NOON - age,
    )


def test_twice_as_often_makes_up_for_one_half_life() -> None:
    fresh, often = lesson("a"), lesson("b", 2, HALF_LIFE)
    assert fresh.usefulness == pytest.approx(often.usefulness)
    assert lesson("c", 3, HALF_LIFE).usefulness > fresh.usefulness
    assert lesson("d", 2, HALF_LIFE * 2).usefulness < fresh.usefulness


def test_a_lesson_learned_later_is_more_useful() -> None:
    """Even a microsecond counts, so that rounding never decides the order."""
    later = lesson("a", age=timedelta(microseconds=-1))
    assert later.usefulness > lesson("b").usefulness


def test_the_least_useful_lessons_are_surplus() -> None:
    old_but_often = lesson("often", 8, timedelta(days=200))
    others = [
        lesson(f"{number:02}", age=timedelta(days=number)) for number in range(1, MAX_LESSONS)
    ]
    new = lesson("new", age=timedelta(days=3_650))
    gone = surplus([old_but_often, *others, new], "new")
    assert [each.id for each in gone] == [f"{MAX_LESSONS - 1:02}"]
    assert surplus([old_but_often, *others], "often") == []


def test_of_equal_lessons_the_earlier_is_surplus() -> None:
    same = [lesson(f"{number:02}") for number in range(MAX_LESSONS + 2)]
    assert [each.id for each in surplus(same, "00")] == ["01", "02"]
