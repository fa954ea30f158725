"""A memory of one user, without an embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import distributions

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


@pytest.fixture(scope="session", autouse=True)
def _versions(record_testsuite_property: Callable[[str, object], None]) -> None:
    """Write the versions of the packages into the report."""
    for each in distributions():
        record_testsuite_property(each.metadata["Name"], each.version)
