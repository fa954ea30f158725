"""Rebuild derived data: search index, queue of vectors, counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeAlias, TypeVar

from erstwhile.conversations.messages import indexed_message, messages_by_id
from erstwhile.conversations.table import ConversationTable, indexed_summary
from erstwhile.core.errors import CorruptError
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Analyser, Row
from erstwhile.core.scope import Scope
from erstwhile.facts.table import FACTS, indexed_text
from erstwhile.operations.lease import MaintenanceLease
from erstwhile.records.lessons import LESSONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.passages import IndexedText, PartitionGroup
from erstwhile.storage.table import EITHER, RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

Result = TypeVar("Result")
_AT_ONCE = 500
"""The records that are compared on one snapshot."""
_CONVERSATIONS = ConversationTable(timedelta())
_RECORDS: dict[TextKind, RecordTable[Any]] = {
    TextKind.OBSERVATIONS: OBSERVATIONS,
    TextKind.LESSONS: LESSONS,
}


def index_record(unit: Unit, kind: TextKind, id: str) -> None:
    """Index a stored record that has no passages yet."""
    passages.put(unit, _searched_text(unit, kind, id, unit.scope_id))


def wrong_records(access: Access, kind: TextKind) -> Iterator[Row]:
    """Yield the ids of records with missing or outdated passages."""

    def compared(view: View) -> tuple[list[Row], list[Row]]:
        rows = view.rows("searched_records", {"after": after, "limit": _AT_ONCE}, kind)
        return rows, [row for row in rows if _is_wrong(view, access.analyser, kind, row[0])]

    after = ""
    while True:
        rows, wrong = access.ask(compared)
        yield from wrong
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _is_wrong(view: View, analyser: Analyser, kind: TextKind, id: str) -> bool:
    try:
        text = _searched_text(view, kind, id, lambda _scope: 0)
    except CorruptError:  # the record itself is damaged: the audit trail shows it
        return False
    return passages.differ(view, analyser, text)


def _searched_text(
    view: View, kind: TextKind, id: str, number_of: Callable[[Scope], int]
) -> IndexedText:
    if kind is TextKind.MESSAGES:
        message = messages_by_id(view, [id])[id]
        return indexed_message(message, number_of(message.scope))
    if kind is TextKind.SUMMARIES:
        conversation = _CONVERSATIONS.find(view, id, among=EITHER)
        return indexed_summary(conversation, number_of(conversation.scope))
    if kind is TextKind.FACTS:
        fact = FACTS.find(view, id, among=EITHER)
        return indexed_text(fact, number_of(fact.scope))
    item = _RECORDS[kind].find(view, id)
    text = _RECORDS[kind].text(item)
    return IndexedText(kind=kind, id=id, scope=number_of(item.scope), text=text)


_BATCH = 50


def rebuild(access: Access, lease: MaintenanceLease) -> Iterator[tuple[str, int]]:
    """Rebuild all derived data in short transactions; yield names and numbers of repairs."""
    yield "orphans", repair_found(access, lease, ORPHANS)
    for kind in TextKind:
        wrong = wrong_records(access, kind)
        yield kind, _repair_rows(lease, wrong, partial(_index_again, kind))
    for name, repairs in _REPAIRS.items():
        yield name, repair_found(access, lease, repairs)


_COUNTERS = {
    "wrong counts of passages": "miscounted_partitions",
    "wrong counts of messages": "miscounted_conversations",
}


def count_wrong(access: Access) -> dict[str, int]:
    """Count the wrong derived rows, without the full-text index."""
    searched = sum(1 for kind in TextKind for _ in wrong_records(access, kind))
    counted = access.ask(
        lambda view: {name: len(view.rows(query, {})) for name, query in _COUNTERS.items()}
    )
    return {"records with wrong passages": searched, **counted}


def repair_found(access: Access, lease: MaintenanceLease, repairs: Iterable[RowRepair]) -> int:
    """Find wrong rows without a lock, then repair them; return their number."""

    def repaired(statement: str, repair: Callable[[Unit, Row], object]) -> int:
        found = access.ask(lambda view: view.rows(statement, {}, "all"))
        return _repair_rows(lease, found, repair)

    return sum(repaired(*each) for each in repairs)


def _repair_rows(
    lease: MaintenanceLease, rows: Iterable[Row], repair: Callable[[Unit, Row], object]
) -> int:
    def repair_some(some: Sequence[Row], unit: Unit) -> None:
        for row in some:
            repair(unit, row)

    found = list(rows)
    for start in range(0, len(found), _BATCH):
        lease.step(partial(repair_some, found[start : start + _BATCH]))
    return len(found)


def _index_again(kind: TextKind, unit: Unit, row: Row) -> None:
    """Index a record again; its vectors follow later."""
    passages.remove(unit, row[0])
    index_record(unit, kind, row[0])


def _recount_partition(unit: Unit, row: Row) -> None:
    partition, count, terms = row
    counted = {"partition": partition, "scope": partition // len(PartitionGroup)}
    unit.run("recount_partition", {**counted, "passages": count, "terms": terms})


RowRepair: TypeAlias = tuple[str, Callable[[Unit, Row], object]]
"""The statement that finds wrong rows, and how to repair one."""
ORPHANS: tuple[RowRepair, ...] = (
    ("orphaned_passages", lambda unit, row: passages.remove(unit, row[0])),
    ("orphaned_vectors", lambda unit, row: unit.execute_async("blank_vectors", {"seq": row[0]})),
    ("orphaned_waiting", lambda unit, row: unit.execute_async("dequeue", {"seq": row[0]})),
)
"""Rows without a parent."""
TERMS: tuple[RowRepair, ...] = (
    ("unindexed_passages", lambda unit, row: passages.reindex(unit, row[0])),
    ("surplus_terms", lambda unit, row: passages.reindex(unit, row[0])),
)
_REPAIRS: Mapping[str, tuple[RowRepair, ...]] = {
    "terms": TERMS,
    "partitions": (("miscounted_partitions", _recount_partition),),
    "conversation counts": (
        (
            "miscounted_conversations",
            lambda unit, row: unit.run("recount_conversation", {"id": row[0], "messages": row[1]}),
        ),
    ),
    "waiting vectors": (
        (
            "unqueued_texts",
            lambda unit, row: unit.execute_async("enqueue", {"seq": row[0], "due_at": unit.stamp}),
        ),
    ),
}
