"""Retention rules: how to find and destroy old records of each kind; audit sealing.

A record is destroyed by the table of its package, together with its parts. So retention leaves
nothing behind that an erasure would not leave. A test compares the tables of the schema with
`RULES`, and with `KEPT`, which says why a table has no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from erstwhile.blocks.changes import prune_before
from erstwhile.blocks.table import BLOCKS, with_overflow
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.policies import Retained
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope, to_scope
from erstwhile.decisions.table import DECISIONS
from erstwhile.facts.table import FACTS
from erstwhile.operations.snapshot import SNAPSHOTS
from erstwhile.records.lessons import LESSONS
from erstwhile.records.limitations import LIMITATIONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.records.outcomes import OUTCOMES
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import SEAL, digest_of_kept, find_seal
from erstwhile.storage.table import EITHER, Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.checkpoints import CHECKPOINTS
from erstwhile.tasks.table import TASKS
from erstwhile.usage.collection import CALLS

_CONVERSATIONS = ConversationTable(timedelta())
_DELETABLE: tuple[Table[Any], ...] = (
    FACTS, BLOCKS, DECISIONS, _CONVERSATIONS, TASKS, CHECKPOINTS, OUTCOMES, LESSONS, OBSERVATIONS,
    LIMITATIONS, CALLS, SNAPSHOTS,
)  # fmt: skip
KEPT = {
    "scopes": "one row for each scope; it holds the end of the audit chain",
    "fact_versions": "the history of a fact goes with the fact",
    "fact_tags": "goes with the fact",
    "fact_entities": "goes with the fact",
    "relations": "goes with the fact",
    "fact_uses": "old days are forgotten by themselves",
    "feedback": "goes with the fact",
    "entities": "an entity that no fact mentions is swept",
    "entity_names": "goes with the entity",
    "passages": "goes with the record",
    "partitions": "three rows for each scope",
    "embedders": "one row for each model",
    "vectors": "goes with the passage; a new embedder removes what is left",
    "outbox": "empty when every text has its vector",
    "blocks": "in use until it is deleted",
    "compactions": "stands for messages; goes with the conversation",
    "snapshots": "in use until it is deleted",
    "sessions": "one row for each channel of a scope",
    "identities": "one row for each name",
    "lessons": "knowledge: repeats are counted, not stored",
    "limitations": "knowledge: repeats are counted, not stored",
    "onboarding": "a row for each stage",
    "learning": "one row for each conversation; goes with it",
    "maintenance": "one row",
    "requests": "keys of a day; each request with a key forgets older ones",
    "migrations": "one row for each version of the schema",
}
"""The tables without a rule, each with the reason."""


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """A kind of records: its table, how to find old records, and how to destroy them."""

    kind: Retained
    table: str
    find: Callable[[dict[str, int], View], Sequence[Row]]
    """Returns rows that begin with the id. Its parameters are before, newest, now and limit."""
    destroy: Callable[[dict[str, int], Sequence[Row], Unit], int]
    """Destroys those of the found records that are still old; returns the number."""
    count: Callable[[dict[str, int], View], int]


def _simple(kind: Retained, destroy: Callable[[Unit, Sequence[str]], object]) -> RetentionRule:
    """Make a rule for records that one row describes."""

    def found(limits: dict[str, int], view: View) -> Sequence[Row]:
        return view.rows("find_outlived", limits, kind)

    def destroyed(limits: dict[str, int], rows: Sequence[Row], unit: Unit) -> int:
        checked = {id: unit.rows("check_outlived", {**limits, "id": id}, kind) for id, *_ in rows}
        ids = [id for id, still in checked.items() if still]
        destroy(unit, ids)
        return len(ids)

    def counted(limits: dict[str, int], view: View) -> int:
        return int(view.rows("count_outlived", limits, kind)[0][0])

    return RetentionRule(kind, _TABLES.get(kind, kind), found, destroyed, counted)


_TABLES = {Retained.RUNS: "task_runs"}


def _records(table: Table[Any]) -> Callable[[Unit, Sequence[str]], object]:
    """Return a function to destroy records of a table with their parts."""

    def destroy(unit: Unit, ids: Sequence[str]) -> None:
        items = [table.find(unit, id, among=EITHER) for id in ids]
        table.destroy(unit, with_overflow(unit, items) if table is BLOCKS else items)

    return destroy


def _rows(table: str) -> Callable[[Unit, Sequence[str]], object]:
    """Return a function to destroy records of one row each."""

    def destroy(unit: Unit, ids: Sequence[str]) -> None:
        known = [(id, *unit.rows("scope_of_row", {"id": id}, table)[0]) for id in ids]
        erasure.destroy_records(unit, table, known, Counter())

    return destroy


def _remove_runs(unit: Unit, ids: Sequence[str]) -> None:
    for id in ids:
        [dimensions] = unit.rows("scope_of_row", {"id": id}, "runs")
        unit.run("remove_run", {"id": id})
        erasure.forget(unit, id, to_scope(*dimensions))


def _prune(limits: dict[str, int], rows: Sequence[Row], unit: Unit) -> int:
    wanted = {id for id, *_ in rows}
    removed = 0
    for id, first in unit.rows("find_long_blocks", limits):
        if id in wanted:
            block = BLOCKS.find(unit, id, among=EITHER)
            removed += prune_before(unit, block, first, None).versions
    return removed


def _deleted(limits: dict[str, int], view: View) -> Sequence[Row]:
    found: list[Row] = []
    for table in _DELETABLE:
        left = min(limits["limit"] - len(found), table.batch)
        old = {"before": limits["before"] - 1, "limit": left}
        items = table.select(view, table.deleting, old, "everything") if left > 0 else []
        found += [(item.id, table.name) for item in items]
    return found


def _destroy_deleted(limits: dict[str, int], _rows: Sequence[Row], unit: Unit) -> int:
    """Find them again under the lock: one of them may have been restored."""
    tables, found = {each.name: each for each in _DELETABLE}, _deleted(limits, unit)
    for id, name in found:
        _records(tables[name])(unit, [id])
    return len(found)


def _count_deleted(limits: dict[str, int], view: View) -> int:
    counts = (view.rows("count_deleted", limits, table.name)[0][0] for table in _DELETABLE)
    return sum(map(int, counts))


RULES = (
    RetentionRule(Retained.DELETED, "", _deleted, _destroy_deleted, _count_deleted),
    _simple(Retained.FACTS, _records(FACTS)),
    RetentionRule(
        Retained.BLOCK_VERSIONS,
        "block_versions",
        lambda limits, view: view.rows("find_long_blocks", limits),
        _prune,
        lambda limits, view: int(view.rows("count_old_versions", limits)[0][0]),
    ),
    _simple(Retained.MESSAGES, _CONVERSATIONS.let_go),
    _simple(Retained.ATTEMPTS, _rows("attempts")),
    _simple(Retained.CONVERSATIONS, _records(_CONVERSATIONS)),
    _simple(Retained.DECISIONS, _records(DECISIONS)),
    _simple(Retained.CONFLICTS, _rows("conflicts")),
    _simple(Retained.TASKS, _records(TASKS)),
    _simple(Retained.RUNS, _remove_runs),
    _simple(Retained.CHECKPOINTS, _records(CHECKPOINTS)),
    _simple(Retained.OUTCOMES, _records(OUTCOMES)),
    _simple(Retained.OBSERVATIONS, _records(OBSERVATIONS)),
    _simple(Retained.USAGE, _records(CALLS)),
)
"""In the order in which they run. The audit trail is sealed after them."""


Step: TypeAlias = Callable[[Callable[[Unit], int]], int]
"""A function that runs a change in a short transaction of its own."""
SECTION = 500
"""The number of entries that one transaction marks or removes."""
_WORTH = 5
"""Seal a chain if at least one of so many old entries can go: marking the others costs time."""


class OldPart(NamedTuple):
    """The old part of a chain: removable entries, and whether it needs a new seal."""

    number: int
    scope: Scope
    last: int
    """The number of its last entry."""
    removable: int
    unsealed: bool


def count_sealable(access: Access, before: int) -> int:
    """Return how many audit entries would be removed."""
    return access.ask(lambda view: sum(part.removable for part in _old_parts(view, before)))


def seal_chains(access: Access, before: int, step: Step) -> int:
    """Seal the entries before a moment in every long enough chain; return their number."""
    parts = access.ask(lambda view: list(_old_parts(view, before)))
    return sum(_seal(access, part, step) for part in parts)


def _old_parts(view: View, before: int) -> Iterator[OldPart]:
    for number, _, _, *dimensions in view.rows("visible_chains", {}):
        scope, seal = to_scope(*dimensions), find_seal(view, number).last
        last = view.rows("last_old_entry", {"scope": number, "before": before})[0][0]
        if last > seal:
            [(removable, old)] = view.rows("count_sealable", {"scope": number, "last": last})
            if removable and removable * _WORTH >= old:
                yield OldPart(number, scope, last, removable, unsealed=True)
                continue
        [(left,)] = view.rows("count_left", {"scope": number, "last": seal})
        if left:  # an interrupted sealing left them
            yield OldPart(number, scope, seal, left, unsealed=False)


def _seal(access: Access, part: OldPart, step: Step) -> int:
    place = {"scope": part.number, "last": part.last}
    if part.unsealed:
        for section in _sections(place):
            step(partial(_change_section, "keep_entries", section))
        kept = access.ask(lambda view: digest_of_kept(_kept(view, place)))
        step(partial(_add_seal, part, kept))
    return sum(
        step(partial(_change_section, "remove_sealed", section)) for section in _sections(place)
    )


def _sections(place: dict[str, int]) -> Iterator[dict[str, int]]:
    for after in range(0, place["last"], SECTION):
        yield {**place, "after": after, "until": min(after + SECTION, place["last"])}


def _change_section(statement: str, section: dict[str, int], unit: Unit) -> int:
    return unit.run(statement, section)


def _add_seal(part: OldPart, kept: str, unit: Unit) -> int:
    reason = f"removed {part.removable:,} entries that no stored record needs"
    unit.record(SEAL, str(part.last), part.scope, reason, [part.last, kept])
    return 1


def _kept(view: View, place: dict[str, int]) -> Iterator[Row]:
    after = 0
    while rows := view.rows("kept_entries", {**place, "after": after, "limit": SECTION}):
        yield from rows
        after = rows[-1][0]
