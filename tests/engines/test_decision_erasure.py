"""Erasing decisions leaves no byte of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from erstwhile import Decision
from tests.engines.test_erasure import (
    IMPATIENT,
    Tokens,
    assert_gone,
    bytes_on_disk,
    pieces,
    windows,
)

LONG_AGO = "2020-01-01"


def decide_fully(memory: erstwhile.Memory, token: Tokens, length: int, at: str) -> str:
    """Record a decision with every field, an outcome and a successor; return its id."""
    said = Decision(
        goal=token(), tool=token(), input={"text": token.text(length)}, choice="deny",
        message=token(), rationale=token(), options=(token(),), decided_at=at, key=token(),
    )  # fmt: skip
    kept = memory.decisions.record(said)
    memory.decisions.set_outcome(kept.id, token(), good=False)
    later = Decision(goal=token(), tool=token(), choice="allow", decided_at=at)
    successor = memory.decisions.supersede(kept.id, later, reason=token())
    memory.decisions.erase(successor.id)
    return kept.id


@pytest.mark.parametrize("length", [40, 3_000, 150_000], ids=["short", "pages", "long"])
@pytest.mark.parametrize("way", ["by id", "by age", "purge"])
def test_an_erased_decision_is_nowhere_in_the_files(tmp_path: Path, length: int, way: str) -> None:
    """Not in the table, its indexes, the audit trail, the outbox or the log."""
    file = tmp_path / "memory.db"
    gone, kept = Tokens(1), Tokens(2)
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        decide_fully(memory, kept, length, "2026-01-01")
        id = decide_fully(memory, gone, length, LONG_AGO)
        there = windows(bytes_on_disk(file))
        assert pieces(gone.made[2:3]) & there
        if way == "by id":
            receipt = memory.decisions.erase(id)
        elif way == "by age":
            receipt = memory.decisions.erase(older_than="2025-01-01")
        else:
            memory.decisions.delete(id, reason=gone())
            receipt = memory.decisions.purge("0 days")
        assert receipt.ids == (id,)
        assert memory.audit.verify().ok
        kept.made = kept.made[:1]  # the others went with the successor
        assert_gone(file, gone, kept)
