"""The pauses before a request to a server is retried."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_PAUSE = 20.0
"""The longest pause before a retry. If the server asks for more, the call fails."""
_LONGEST_RETRY_AFTER = 3600.0
_FIRST_PAUSE = 0.5


def retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if it is neither."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value)
    return None if math.isnan(seconds) else min(max(seconds, 0.0), _LONGEST_RETRY_AFTER)


def backoff(attempt: int) -> float:
    """Return a random pause that grows with each attempt."""
    return _FIRST_PAUSE * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)


def _until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return math.nan
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - datetime.now(UTC)).total_seconds()
