"""A memory and a clock for the servers."""

from __future__ import annotations

import pytest

from erstwhile import Memory
from erstwhile.testing.clock import FakeClock


@pytest.fixture
def memory(whole_memory: Memory) -> Memory:
    return whole_memory.scoped(user="ana")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
