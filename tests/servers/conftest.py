"""A memory for the servers."""

from __future__ import annotations

import pytest

from erstwhile import Memory


@pytest.fixture
def memory(whole_memory: Memory) -> Memory:
    return whole_memory.scoped(user="ana")
