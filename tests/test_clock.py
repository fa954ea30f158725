"""The clock that a test sets by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from erstwhile.testing.clock import START, FakeClock


def test_it_stands_still() -> None:
    clock = FakeClock()
    assert clock.now() == clock.now() == clock.advance() == START


def test_it_moves_forwards_backwards_and_to_a_given_time() -> None:
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC))
    assert clock.advance(days=1, hours=2) == datetime(2026, 1, 2, 2, tzinfo=UTC)
    clock.advance(hours=-2)
    assert clock.now() == datetime(2026, 1, 2, tzinfo=UTC)
    clock.set(START + timedelta(days=1))
    assert clock.now() == START + timedelta(days=1)


def test_its_time_is_in_utc() -> None:
    assert FakeClock().now().tzinfo is UTC
