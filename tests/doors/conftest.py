"""A memory for the doors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import erstwhile
from erstwhile import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings) as opened:
        yield opened.scoped(user="ana")
