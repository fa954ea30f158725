"""How often, and how much, a token may send."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

_MAX_TOKENS = 10_000
"""The most tokens in the rate limit. The least recently used one is dropped."""


class RateLimit:
    """A token bucket for each token."""

    def __init__(
        self,
        a_second: float,
        burst: float,
        clock: Callable[[], float] = time.monotonic,
        most: int = _MAX_TOKENS,
    ) -> None:
        self._rate = a_second
        self._full = max(1.0, a_second * burst)
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def refuse(self, token: str) -> int:
        """Count one request and return 0, or return the seconds to wait for another one."""
        if not self._rate:
            return 0
        left = self._left(token)
        if left < 1:
            return math.ceil((1 - left) / self._rate)
        self._take(token, 1)
        return 0

    def wait(self, token: str, amount: float) -> float:
        """Count an amount, and return the seconds to wait before the next one."""
        self._left(token)
        return max(0.0, -self._take(token, amount) / self._rate)

    def _left(self, token: str) -> float:
        now = self._clock()
        left, since = self._buckets.pop(token, (self._full, now))
        left = min(self._full, left + (now - since) * self._rate)
        self._buckets[token] = (left, now)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return left

    def _take(self, token: str, amount: float) -> float:
        left, since = self._buckets[token]
        self._buckets[token] = (left - amount, since)
        return left - amount
