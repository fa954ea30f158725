"""Mend the full-text index: add what it lacks, and remove what is surplus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from erstwhile.core.ports import Row
from erstwhile.storage.access import Access
from erstwhile.storage.passages import indexed
from erstwhile.storage.unit import Unit

_BATCH = 200
"""The passages that one transaction indexes."""


def mend_index(access: Access, step: Callable[[Callable[[Unit], int]], int]) -> int:
    """Mend the index in short transactions; return the number of entries added or removed."""
    wrong = [
        row
        for statement in ("unindexed_passages", "surplus_terms")
        for row in access.ask(lambda view, name=statement: view.rows(name, {}))  # type: ignore[misc]
    ]
    parts = [wrong[start : start + _BATCH] for start in range(0, len(wrong), _BATCH)]
    return sum(step(lambda unit, part=part: _index_again(unit, part)) for part in parts)  # type: ignore[misc]


def _index_again(unit: Unit, rows: Sequence[Row]) -> int:
    """Index passages as they are now. The index may have an entry, and the passage may be gone."""
    for (seq,) in rows:
        unit.send("remove_terms", {"seq": seq})
        for terms, shelf, is_open in unit.rows("passage_numbered", {"seq": seq}):
            unit.send("add_terms", {"seq": seq, "terms": indexed(terms, shelf, bool(is_open))})
    return len(rows)
