"""A memory of one user, without an embedder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import erstwhile
from erstwhile import Memory


@pytest.fixture
def everybody() -> Iterator[Memory]:
    with erstwhile.open(":memory:", embedder="none") as memory:
        yield memory


@pytest.fixture
def ana(everybody: Memory) -> Memory:
    return everybody.scoped(user="ana")


@pytest.fixture
def ben(everybody: Memory) -> Memory:
    return everybody.scoped(user="ben")
