"""Rebuild what can be derived from the records: search index, queue of vectors, counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Row
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.index_repair import mend_index
from erstwhile.storage.passages import ShelfGroup
from erstwhile.storage.unit import Unit
from erstwhile.upkeep.lease import MaintenanceLease
from erstwhile.upkeep.searched_records import index_record, wrong_records

_BATCH = 50


def rebuild(access: Access, lease: MaintenanceLease) -> Iterator[tuple[str, int]]:
    """Rebuild each derived thing, in short transactions; yield its name, and what was wrong."""
    yield "orphans", sum(_done(access, lease, *sweep) for sweep in _SWEEPS)
    for kind in TextKind:
        yield kind, _mended(lease, wrong_records(access, kind), partial(_mend_record, kind))
    yield "terms", mend_index(access, lease.step)
    yield "shelves", _done(access, lease, "miscounted_shelves", _recount_shelf)
    yield "conversation counts", _done(access, lease, "miscounted_conversations", _recount_messages)
    yield "waiting vectors", _done(access, lease, "unqueued_texts", _enqueue)


_SWEEPS: tuple[tuple[str, Callable[[Unit, Row], None]], ...] = (
    ("orphaned_passages", lambda unit, row: passages.remove(unit, row[0])),
    ("orphaned_vectors", lambda unit, row: unit.send("blank_vectors", {"seq": row[0]})),
    ("orphaned_waiting", lambda unit, row: unit.send("dequeue", {"seq": row[0]})),
)
_COUNTERS = {
    "wrong counts of passages": "miscounted_shelves",
    "wrong counts of messages": "miscounted_conversations",
}


def count_wrong(access: Access) -> dict[str, int]:
    """Count what a repair would make again, besides the full-text index."""
    searched = sum(1 for kind in TextKind for _ in wrong_records(access, kind))
    counted = access.ask(
        lambda view: {name: len(view.rows(query, {})) for name, query in _COUNTERS.items()}
    )
    return {"records with wrong passages": searched, **counted}


def _done(
    access: Access,
    lease: MaintenanceLease,
    statement: str,
    mend: Callable[[Unit, Row], None],
) -> int:
    """Find what is wrong without a lock, and mend it."""
    return _mended(lease, access.ask(lambda view: view.rows(statement, {})), mend)


def _mended(lease: MaintenanceLease, rows: Iterable[Row], mend: Callable[[Unit, Row], None]) -> int:
    """Mend in short transactions; return how many there were."""
    found = list(rows)
    for start in range(0, len(found), _BATCH):
        lease.step(partial(_mend, mend, found[start : start + _BATCH]))
    return len(found)


def _mend(mend: Callable[[Unit, Row], None], rows: Sequence[Row], unit: Unit) -> None:
    for row in rows:
        mend(unit, row)


def _mend_record(kind: TextKind, unit: Unit, row: Row) -> None:
    """Index a record anew; its vectors follow later."""
    passages.remove(unit, row[0])
    index_record(unit, kind, row[0])


def _recount_shelf(unit: Unit, row: Row) -> None:
    shelf, count, terms = row
    counted = {"shelf": shelf, "scope": shelf // len(ShelfGroup)}
    unit.run("recount_shelf", {**counted, "passages": count, "terms": terms})


def _recount_messages(unit: Unit, row: Row) -> None:
    unit.run("recount_conversation", {"id": row[0], "messages": row[1]})


def _enqueue(unit: Unit, row: Row) -> None:
    unit.send("enqueue", {"seq": row[0], "due_at": unit.stamp})
