"""Rebuild what can be derived from the records: search index, queue of vectors, counters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from erstwhile.conversations.messages import index_message, messages_by_id
from erstwhile.conversations.table import ConversationTable, index_summary
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Row
from erstwhile.facts.table import FACTS
from erstwhile.facts.text_index import indexed_text
from erstwhile.records.lessons import LESSONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.index_repair import mend_index
from erstwhile.storage.passages import IndexedText, ShelfGroup
from erstwhile.storage.table import EITHER, RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.upkeep.lease import MaintenanceLease

_BATCH = 50
_CONVERSATIONS = ConversationTable(timedelta())


def rebuild(access: Access, lease: MaintenanceLease) -> Iterator[tuple[str, int]]:
    """Rebuild each derived thing, in short transactions; yield its name, and what was wrong."""
    yield "orphans", sum(_done(access, lease, *sweep) for sweep in _SWEEPS)
    for kind in TextKind:
        index = partial(_mend_record, kind)
        yield kind, _done(access, lease, "unsearched_records", index, kind)
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


def count_wrong(view: View) -> dict[str, int]:
    """Count what a repair would make again, besides the full-text index."""
    searched = sum(len(view.rows("unsearched_records", {}, kind)) for kind in TextKind)
    counted = {name: len(view.rows(statement, {})) for name, statement in _COUNTERS.items()}
    return {"records without passages": searched, **counted}


def _done(
    access: Access,
    lease: MaintenanceLease,
    statement: str,
    mend: Callable[[Unit, Row], None],
    *choices: str,
) -> int:
    """Find what is wrong without a lock, and mend it."""
    rows = access.ask(lambda view: view.rows(statement, {}, *choices))
    for start in range(0, len(rows), _BATCH):
        lease.step(partial(_mend, mend, rows[start : start + _BATCH]))
    return len(rows)


def _mend(mend: Callable[[Unit, Row], None], rows: Sequence[Row], unit: Unit) -> None:
    for row in rows:
        mend(unit, row)


def _mend_record(kind: TextKind, unit: Unit, row: Row) -> None:
    index_record(unit, kind, str(row[0]))


def index_record(unit: Unit, kind: TextKind, id: str) -> None:
    """Index a stored record that has no passages yet."""
    if kind is TextKind.MESSAGES:
        index_message(unit, messages_by_id(unit, [id])[id])
    elif kind is TextKind.SUMMARIES:
        index_summary(unit, _CONVERSATIONS.find(unit, id, among=EITHER))
    elif kind is TextKind.FACTS:
        fact = FACTS.find(unit, id, among=EITHER)
        passages.put(unit, indexed_text(fact, unit.scope_id(fact.scope)))
    else:
        _index_record(unit, OBSERVATIONS if kind is TextKind.OBSERVATIONS else LESSONS, id)


def _index_record(unit: Unit, table: RecordTable[Any], id: str) -> None:
    item = table.find(unit, id)
    scope = unit.scope_id(item.scope)
    assert table.searched is not None  # noqa: S101  both tables are searched
    text = IndexedText(kind=table.searched, id=id, scope=scope, text=table.text(item))
    passages.put(unit, text)


def _recount_shelf(unit: Unit, row: Row) -> None:
    shelf, count, terms = row
    counted = {"shelf": shelf, "scope": shelf // len(ShelfGroup)}
    unit.run("recount_shelf", {**counted, "passages": count, "terms": terms})


def _recount_messages(unit: Unit, row: Row) -> None:
    unit.run("recount_conversation", {"id": row[0], "messages": row[1]})


def _enqueue(unit: Unit, row: Row) -> None:
    unit.send("enqueue", {"seq": row[0], "due_at": unit.stamp})
