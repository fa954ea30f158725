"""Retention rules: how to find and destroy old records of each kind; audit sealing.

A record is destroyed by the table of its package, together with its parts. So retention leaves
nothing behind that an erasure would not leave. A test says why a table of the schema has no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import NamedTuple, TypeAlias

from erstwhile.blocks.table import BLOCKS, prune_before, with_overflow
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.kinds import Ending
from erstwhile.core.policies import Retained
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope, to_scope
from erstwhile.facts.lifecycle import retired
from erstwhile.facts.table import FACTS
from erstwhile.operations.erase import RECORD_TABLES
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import SEAL, digest_of_kept, find_seal
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


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


def _rule(
    kind: Retained, destroy: Callable[[Unit, Sequence[str]], object] | None = None, table: str = ""
) -> RetentionRule:
    """Make a rule for records that one row describes."""
    destroy_ids = destroy or partial(_destroy, kind)

    def found(limits: dict[str, int], view: View) -> Sequence[Row]:
        return view.rows("find_outlived", limits, kind)

    def destroyed(limits: dict[str, int], rows: Sequence[Row], unit: Unit) -> int:
        checked = {id: unit.rows("check_outlived", {**limits, "id": id}, kind) for id, *_ in rows}
        ids = [id for id, still in checked.items() if still]
        destroy_ids(unit, ids)
        return len(ids)

    def counted(limits: dict[str, int], view: View) -> int:
        return int(view.rows("count_outlived", limits, kind)[0][0])

    return RetentionRule(kind, table or kind, found, destroyed, counted)


def _destroy(name: str, unit: Unit, ids: Sequence[str]) -> None:
    """Destroy records of a table, with their parts if they have some."""
    if table := RECORD_TABLES.get(name):
        items = [table.find(unit, id, among=EITHER) for id in ids]
        table.destroy(unit, with_overflow(unit, items) if table is BLOCKS else items)
    else:
        known = [(id, *unit.rows("scope_of_row", {"id": id}, name)[0]) for id in ids]
        erasure.destroy_records(unit, name, known, Counter())


def _expire(unit: Unit, ids: Sequence[str]) -> None:
    """End facts as expired. `facts.undo` brings one back."""
    for id in ids:
        fact = FACTS.find(unit, id)
        ended = retired(fact, Ending.EXPIRED, at=unit.now)
        FACTS.change(unit, fact, ended, "retire", "retention")


def _remove_runs(unit: Unit, ids: Sequence[str]) -> None:
    for id in ids:
        [dimensions] = unit.rows("scope_of_row", {"id": id}, "runs")
        unit.run("remove_run", {"id": id})
        erasure.forget(unit, id, to_scope(*dimensions))


def _prune(limits: dict[str, int], rows: Sequence[Row], unit: Unit) -> int:
    wanted = {id for id, *_ in rows}
    found = [each for each in unit.rows("find_long_blocks", limits) if each[0] in wanted]
    blocks = [(BLOCKS.find(unit, id, among=EITHER), first) for id, first in found]
    return sum(prune_before(unit, block, first, None).versions for block, first in blocks)


def _deleted(limits: dict[str, int], view: View) -> Sequence[Row]:
    found: list[Row] = []
    for table in RECORD_TABLES.values():
        left = min(limits["limit"] - len(found), table.batch)
        old = {"before": limits["before"] - 1, "limit": left}
        items = table.select(view, table.deleting, old, "everything") if left > 0 else []
        found += [(item.id, table.name) for item in items]
    return found


def _destroy_deleted(limits: dict[str, int], _rows: Sequence[Row], unit: Unit) -> int:
    """Find them again under the lock: one of them may have been restored."""
    found = _deleted(limits, unit)
    for id, name in found:
        _destroy(name, unit, [id])
    return len(found)


def _count_deleted(limits: dict[str, int], view: View) -> int:
    return sum(int(view.rows("count_deleted", limits, name)[0][0]) for name in RECORD_TABLES)


EXPIRING = frozenset((Retained.QUARANTINED, Retained.UNCERTAIN))
"""Kinds whose records are not destroyed: they end, and can be brought back."""
RULES = (
    RetentionRule(Retained.DELETED, "", _deleted, _destroy_deleted, _count_deleted),
    _rule(Retained.FACTS),
    _rule(Retained.QUARANTINED, _expire, "facts"),
    _rule(Retained.UNCERTAIN, _expire, "facts"),
    RetentionRule(
        Retained.BLOCK_VERSIONS,
        "block_versions",
        lambda limits, view: view.rows("find_long_blocks", limits),
        _prune,
        lambda limits, view: int(view.rows("count_old_versions", limits)[0][0]),
    ),
    _rule(Retained.MESSAGES, ConversationTable(timedelta()).destroy_messages),
    _rule(Retained.ATTEMPTS),
    _rule(Retained.CONVERSATIONS),
    _rule(Retained.DECISIONS),
    _rule(Retained.CONFLICTS),
    _rule(Retained.TASKS),
    _rule(Retained.RUNS, _remove_runs, "task_runs"),
    _rule(Retained.CHECKPOINTS),
    _rule(Retained.OUTCOMES),
    _rule(Retained.OBSERVATIONS),
    _rule(Retained.USAGE),
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

    def change_sections(statement: str) -> int:
        ends = ((after, min(after + SECTION, part.last)) for after in range(0, part.last, SECTION))
        sections = ({**place, "after": after, "until": until} for after, until in ends)
        return sum(step(partial(Unit.run, name=statement, params=each)) for each in sections)

    def add_seal(unit: Unit) -> int:
        reason = f"removed {part.removable:,} entries that no stored record needs"
        unit.record(SEAL, str(part.last), part.scope, reason, [part.last, kept])
        return 1

    if part.unsealed:
        change_sections("keep_entries")
        kept = access.ask(lambda view: digest_of_kept(_kept(view, place)))
        step(add_seal)
    return change_sections("remove_sealed")


def _kept(view: View, place: dict[str, int]) -> Iterator[Row]:
    after = 0
    while rows := view.rows("kept_entries", {**place, "after": after, "limit": SECTION}):
        yield from rows
        after = rows[-1][0]
