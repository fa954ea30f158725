"""The attempts at a turn that was just observed."""

from __future__ import annotations

from typing import Any

import pytest

import erstwhile
from erstwhile.core.ports import Row
from erstwhile.learning.attempts import Attempt, AttemptTable


def test_only_the_attempts_at_this_turn_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation of many turns has many attempts, and each takes time to read."""
    read, build = list[Row](), AttemptTable.build

    def counted(self: AttemptTable, row: Row, head: dict[str, Any]) -> Attempt:
        read.append(row)
        return build(self, row, head)

    with erstwhile.open(":memory:", embedder="none") as memory:
        seen = [memory.observe_turn(f"I like tea {n}", "Fine.", wait=True) for n in range(5)]
        monkeypatch.setattr(AttemptTable, "build", counted)
        last = memory.observe_turn("I like coffee", "Fine.", wait=True, key="last")
        assert len(read) == len(last.attempts) == 1
        again = memory.observe_turn("I like coffee", "Fine.", wait=True, key="last")
    assert again.attempts == last.attempts
    assert {each.conversation for each in seen} == {last.conversation}
