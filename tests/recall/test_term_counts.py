"""Term counts are cached until a change."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.core.ports import Params, Row
from erstwhile.recall import channels
from erstwhile.recall.channels import TermCounts
from erstwhile.storage.passages import PartitionGroup, marked, partition_of, partitions
from erstwhile.storage.view import View

PARTITION = partition_of(1, PartitionGroup.FACTS)
TEA, MILK = marked("tea", PARTITION, True), marked("milk", PARTITION, True)


def counted(memory: erstwhile.Memory, counts: TermCounts, *wanted: str) -> dict[str, int]:
    """Return the counts of terms in the only partition of a memory."""

    def count(view: View) -> dict[str, int]:
        [facts] = partitions(view, [PartitionGroup.FACTS])
        return counts.of(view, dict.fromkeys(wanted, facts.changes))

    return memory._access.ask(count)


def test_what_was_counted_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, asked = TermCounts(), list[str]()
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember("tea")
        rows = View.rows

        def noting(view: View, name: str, params: Params, *choices: str) -> list[Row]:
            asked.append(name)
            return rows(view, name, params, *choices)

        monkeypatch.setattr(View, "rows", noting)
        for wanted in ([TEA, MILK], [TEA], [MILK, TEA]):
            found = counted(memory, counts, *wanted)
            assert found == {term: int(term == TEA) for term in wanted}
    assert [name for name in asked if name != "visible_partitions"] == ["count_holding"]


def test_every_change_shows() -> None:
    """Changes of other threads and processes, too: the change number of the partition grows."""
    counts = TermCounts()
    with erstwhile.open(":memory:", embedder="none") as memory:
        for number in range(1, 4):
            fact = memory.remember(f"tea {number}")
            assert counted(memory, counts, TEA) == {TEA: number}
        memory.facts.retire(fact.id, "wrong")
        assert counted(memory, counts, TEA) == {TEA: 2}


def test_no_more_than_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "_MAX_COUNTS", 2)
    counts = TermCounts()
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember("tea")
        for word in ("a", "b", "c", "d"):
            found = counted(memory, counts, TEA, marked(word, PARTITION, True))
            assert found[TEA] == 1
            assert len(counts._counted) <= 4
