"""Maintain a memory: apply retention, remove orphans, and optimise the store.

Everything runs in short transactions, with a pause after each, so that no other writer waits for
long. A run that is interrupted loses nothing: the next one continues. A record is destroyed by the
table of its package, together with its parts, so retention leaves nothing behind that an erasure
would not leave. A test says why a table of the schema has no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from secrets import randbelow
from typing import NamedTuple, TypeAlias

from erstwhile.blocks.table import BLOCKS, prune_before, with_overflow
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.arguments import checked_arguments
from erstwhile.core.errors import ScopeError, StorageError
from erstwhile.core.kinds import Ending
from erstwhile.core.policies import KeepRule, Retained, Retention, RetentionLimits, parse_retention
from erstwhile.core.ports import Row
from erstwhile.core.scope import SHARED, Scope, Viewer, to_scope
from erstwhile.core.time import to_micros
from erstwhile.facts.feedback import forget_old_uses
from erstwhile.facts.lifecycle import retired
from erstwhile.facts.table import FACTS, remove_orphaned_entities
from erstwhile.operations.erase import RECORD_TABLES
from erstwhile.operations.lease import MaintenanceLease
from erstwhile.operations.rebuild import ORPHANS, TERMS, RowRepair, repair_found
from erstwhile.operations.results import Maintained, MaintenanceStep
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import SEAL, digest_of_kept, find_seal
from erstwhile.storage.record import Collection
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_BATCH = 50
"""The records that one transaction destroys."""
_FOUND = 20_000
"""The records that one search for old records returns."""
_ALL = 2**62
_MARKS = 1_000_000_000
"""The marks of pings: microseconds in the first minutes of 1970, which no lease ends in."""
_PINGS = 10
"""The tries, because another process may leave its own mark between writing and reading."""


_ORPHANED_ENTITIES: RowRepair = (
    "orphaned_entities",
    lambda unit, row: remove_orphaned_entities(unit, [row[0]]),
)


class Maintainer(Collection):
    """Maintains the whole space."""

    def ping(self) -> None:
        """Write a mark and read it back. Each call overwrites the last mark."""

        def touch(unit: Unit) -> int:
            return unit.run("touch_maintenance", {"mark": mark, "now": to_micros(unit.now)})

        for _ in range(_PINGS):
            mark = 1 + randbelow(_MARKS)
            left = not self._access.engine.read_only and self._access.change(touch)
            found = self._access.ask(lambda view: view.rows("maintenance_lease", {}))
            if not left or [mark] == [row[0] for row in found]:
                return
        raise StorageError(
            "the store does not read back what it wrote", remedy="run `erstwhile doctor`"
        )

    @checked_arguments
    def maintain(
        self,
        retention: RetentionLimits | None = None,
        *,
        preview: bool = False,
        compact: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> Maintained:
        viewer = self._access.viewer
        if viewer.scope != SHARED:
            raise ScopeError(
                "maintenance is about the whole memory",
                remedy="call it on the memory that `open` returned",
            )
        if retention is not None and not preview:
            viewer.check_person("choose what is removed")
        access = self._access.seen_by(Viewer(everything=True, name=viewer.actor))
        limits = self._services.retention if retention is None else parse_retention(retention)
        now, report = access.clock.now(), progress or (lambda _step: None)
        if preview:
            steps = tuple(_preview_steps(access, limits, now, report))
            return Maintained(at=now, steps=steps, preview=True)
        with MaintenanceLease(access) as lease:
            work = _Maintenance(access, lease, limits, now, report)
            return Maintained(at=now, steps=tuple(work.steps(compact=compact)))


@dataclass(frozen=True, slots=True)
class _Maintenance:
    """One run under the lease."""

    access: Access
    lease: MaintenanceLease
    limits: Retention
    now: datetime
    progress: Callable[[str], None]

    def steps(self, *, compact: bool) -> Iterator[MaintenanceStep]:
        for rule in RULES:
            if limit := self.limits.get(rule.kind):
                self.progress(rule.kind)
                removed = self._remove_old(rule, _params(limit, self.now, _FOUND))
                unit = "expired" if rule.kind in EXPIRING else "removed"
                yield MaintenanceStep(name=rule.kind, count=removed, unit=unit)
        if limit := self.limits.get(Retained.AUDIT):
            self.progress(Retained.AUDIT)
            before = _params(limit, self.now)["before"]
            sealed = seal_chains(self.access, before, self.lease.step)
            yield MaintenanceStep(name="audit", count=sealed, unit="entries sealed")
        yield from self._remove_orphans()
        yield from self._optimise_store(compact=compact)

    def _remove_old(self, rule: RetentionRule, params: dict[str, int]) -> int:
        """Remove old records. They are searched without a lock, and checked again under it."""
        total = 0
        while found := self.access.ask(partial(rule.find, params)):
            parts = (found[start : start + _BATCH] for start in range(0, len(found), _BATCH))
            removed = [self.lease.step(partial(rule.destroy, params, part)) for part in parts]
            total += sum(removed)
            if not any(removed):  # all of them were changed meanwhile
                break
        return total

    def _remove_orphans(self) -> Iterator[MaintenanceStep]:
        self.progress("orphans")
        uses = self.lease.step(forget_old_uses)
        yield MaintenanceStep(name="uses", count=uses, unit="expired")
        orphans = repair_found(self.access, self.lease, (_ORPHANED_ENTITIES, *ORPHANS))
        yield MaintenanceStep(name="orphans", count=orphans, unit="removed")
        self.progress("index")
        repaired = repair_found(self.access, self.lease, TERMS)
        yield MaintenanceStep(name="index", count=repaired, unit="entries repaired")

    def _optimise_store(self, *, compact: bool) -> Iterator[MaintenanceStep]:
        self.progress("store")
        if compact:
            erasure.rewrite(self.access)
            self.lease.renew()
        for name, (count, unit) in self.access.engine.tidy().items():
            yield MaintenanceStep(name=name, count=count, unit=unit)


def _preview_steps(
    access: Access, limits: Retention, now: datetime, progress: Callable[[str], None]
) -> Iterator[MaintenanceStep]:
    """Count the records that retention would remove."""
    removed = 0
    for rule in RULES:
        if limit := limits.get(rule.kind):
            progress(rule.kind)
            count = access.ask(partial(rule.count, _params(limit, now)))
            removed += count
            unit = "to expire" if rule.kind in EXPIRING else "to remove"
            yield MaintenanceStep(name=rule.kind, count=count, unit=unit)
    if limit := limits.get(Retained.AUDIT):
        count = count_sealable(access, _params(limit, now)["before"])
        unit = "entries to seal, at least" if removed else "entries to seal"
        yield MaintenanceStep(name="audit", count=count, unit=unit)


def _params(rule: KeepRule, now: datetime, limit: int = _ALL) -> dict[str, int]:
    before = rule.before(now)
    return {
        "before": 0 if before is None else to_micros(before),
        "newest": _ALL if rule.newest is None else rule.newest,
        "now": to_micros(now),
        "limit": limit,
    }


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
