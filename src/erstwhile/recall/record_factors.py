"""Small shifts of the score of records that are no facts: their age, and the period of a query."""

from __future__ import annotations

from datetime import datetime, timedelta

from erstwhile.recall.hits import Recalled

_HALF_LIFE = 180.0
"""Days after which half of the advantage of a new record is gone."""
_HOUR = timedelta(hours=1)


def record_factors(
    record: Recalled, now: datetime, period: tuple[datetime, datetime] | None
) -> dict[str, float]:
    """Return the shifts by name."""
    told = record.told_at
    # In whole hours, so that the same query a moment later has the same answer.
    age = max((now - told) // _HOUR / 24, 0.0)
    shifts = {"age": 0.03 * (0.5 ** (age / _HALF_LIFE) - 0.5)}
    if period is not None:
        shifts["period"] = 0.05 if period[0] <= told < period[1] else -0.05
    return shifts
