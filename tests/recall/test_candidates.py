"""Candidates of a recall, and the records that they stand for."""

from __future__ import annotations

import pytest
from bench.speech import Speech, WordVectors

import erstwhile
from erstwhile.core.kinds import TextKind
from erstwhile.recall.candidates import RecallCandidate
from tests.contracts.base import inside


@pytest.mark.parametrize("kind", [TextKind.FACTS, TextKind.MESSAGES])
def test_a_record_that_its_table_does_not_find_is_damaged(kind: TextKind) -> None:
    """A damaged index of the table was a KeyError: all is read on one snapshot."""
    row = (1, kind, "lost", 1, 0, 0, 4, "lost", None, 0)
    with (
        erstwhile.open(":memory:", embedder="none") as memory,
        pytest.raises(erstwhile.CorruptError, match="lost is damaged"),
    ):
        inside(memory).ask(lambda view: RecallCandidate(view, row).record)


def test_a_search_ends_if_each_relevant_record_has_a_near_passage() -> None:
    """A long record nearly always has a far passage, too, which says nothing of other records."""
    texts = Speech(9).messages(400)
    asked = Speech(5).question(texts[0], most=10)
    with erstwhile.open(":memory:", embedder=WordVectors()) as memory:
        memory.remember_many(texts)
        memory.flush(None)
        hits = memory.recall(asked)
    assert 0 < len(hits) < 10
    assert hits.trace.candidates < 100
