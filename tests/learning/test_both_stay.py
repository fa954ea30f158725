"""Pairs that look like a change or a repeat, but are neither."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.sets.reconciling import act_for

from erstwhile.learning.candidate import Act

FILE = Path(__file__).parent / "data" / "both_stay.txt"
PAIRS = [line.split(" | ") for line in FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("known", "said"), PAIRS)
def test_both_statements_stay(known: str, said: str) -> None:
    """In either order, linked or not."""
    assert act_for(known, said) in (Act.ADD, Act.CONFLICT)
    assert act_for(said, known) in (Act.ADD, Act.CONFLICT)
