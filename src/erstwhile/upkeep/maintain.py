"""Maintain a memory: remove what has outlived its retention, sweep, and tend the store.

Everything runs in short transactions, with a pause after each, so that no other writer waits for
long. A run that is interrupted loses nothing: the next one continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from secrets import randbelow
from typing import Any

from erstwhile.core.arguments import checked_arguments
from erstwhile.core.errors import ScopeError, StorageError
from erstwhile.core.ports import Row
from erstwhile.core.retention import KeepRule, Retained, Retention, RetentionLimits, parse_retention
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.core.time import to_micros
from erstwhile.facts.table import remove_orphaned_entities
from erstwhile.facts.usage import forget_old_uses
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage import erasure, passages
from erstwhile.storage.access import Access
from erstwhile.storage.collection import Collection
from erstwhile.storage.index_repair import mend_index
from erstwhile.storage.standing import check_person
from erstwhile.storage.unit import Unit
from erstwhile.upkeep.lease import MaintenanceLease
from erstwhile.upkeep.rules import RULES, RetentionRule
from erstwhile.upkeep.sealing import count_sealable, seal_chains

_BATCH = 50
"""The records that one transaction destroys."""
_FOUND = 20_000
"""The records that one search for old records returns."""
_ALL = 2**62
_MARKS = 1_000_000_000
"""The marks of pings: microseconds in the first minutes of 1970, which no lease ends in."""
_PINGS = 10
"""How often another process may leave its own mark between writing and reading."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceStep:
    """One step of a maintenance, and how many rows, pages or tables it changed."""

    name: str
    count: int
    unit: str
    """What was counted."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Maintained:
    """What a maintenance did; for a preview, what retention would remove."""

    at: datetime
    steps: tuple[MaintenanceStep, ...]
    preview: bool = False


class Maintainer(Collection):
    """Maintains the whole space."""

    def ping(self) -> None:
        """Leave a mark and read it back. There is one mark, so nothing piles up."""
        for _ in range(_PINGS):
            mark = 1 + randbelow(_MARKS)
            touch = partial(_touch, mark)
            left = not self._access.engine.read_only and self._access.change(touch)
            found = self._access.ask(lambda view: view.rows("touched_maintenance", {}))
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
            check_person(viewer, "choose what is removed")
        access = self._access.seen_by(Viewer(everything=True, name=viewer.actor))
        limits = self._services.retention if retention is None else parse_retention(retention)
        now, tell = access.clock.now(), progress or (lambda _step: None)
        if preview:
            steps = tuple(_previewed(access, limits, now, tell))
            return Maintained(at=now, steps=steps, preview=True)
        with MaintenanceLease(access) as lease:
            work = _Maintenance(access, lease, limits, now, tell)
            return Maintained(at=now, steps=tuple(work.done(compact=compact)))


def _touch(mark: int, unit: Unit) -> bool:
    return bool(unit.run("touch_maintenance", {"mark": mark, "now": to_micros(unit.now)}))


@dataclass(frozen=True, slots=True)
class _Maintenance:
    """One run under the lease."""

    access: Access
    lease: MaintenanceLease
    limits: Retention
    now: datetime
    tell: Callable[[str], None]

    def done(self, *, compact: bool) -> Iterator[MaintenanceStep]:
        """Do each step, and yield what it did."""
        for rule in RULES:
            if limit := self.limits.get(rule.kind):
                self.tell(rule.kind)
                removed = self._removed(rule, _params(limit, self.now, _FOUND))
                yield MaintenanceStep(name=rule.kind, count=removed, unit="removed")
        if limit := self.limits.get(Retained.AUDIT):
            self.tell(Retained.AUDIT)
            before = _params(limit, self.now)["before"]
            sealed = seal_chains(self.access, before, self.lease.step)
            yield MaintenanceStep(name="audit", count=sealed, unit="entries sealed")
        yield from self._swept()
        yield from self._tended(compact=compact)

    def _removed(self, rule: RetentionRule, params: dict[str, int]) -> int:
        """Remove old records. They are searched without a lock, and checked again under it."""
        total = 0
        while found := self.access.ask(partial(rule.find, params)):
            removed = [
                self.lease.step(partial(rule.destroy, params, part)) for part in _parts(found)
            ]
            total += sum(removed)
            if not any(removed):  # all of them were changed meanwhile
                break
        return total

    def _swept(self) -> Iterator[MaintenanceStep]:
        self.tell("orphans")
        uses = self.lease.step(forget_old_uses)
        yield MaintenanceStep(name="uses", count=uses, unit="expired")
        orphans = sum(self._orphans(*sweep) for sweep in _SWEEPS)
        yield MaintenanceStep(name="orphans", count=orphans, unit="removed")
        self.tell("index")
        mended = mend_index(self.access, self.lease.step)
        yield MaintenanceStep(name="index", count=mended, unit="entries mended")

    def _orphans(self, statement: str, sweep: Callable[[Unit, str], object]) -> int:
        """Find rows that belong to nothing, without a lock, and remove them."""
        choice = ("all",) if statement == "orphaned_entities" else ()
        found = self.access.ask(lambda view: view.rows(statement, {}, *choice))
        for part in _parts(found):
            self.lease.step(partial(_sweep, sweep, part))
        return len(found)

    def _tended(self, *, compact: bool) -> Iterator[MaintenanceStep]:
        self.tell("store")
        if compact:
            erasure.rewrite(self.access)
            self.lease.renew()
        for name, (count, unit) in self.access.engine.tidy().items():
            yield MaintenanceStep(name=name, count=count, unit=unit)


def _previewed(
    access: Access, limits: Retention, now: datetime, tell: Callable[[str], None]
) -> Iterator[MaintenanceStep]:
    """Yield what retention would remove. Each removed record leaves more entries to seal."""
    removed = 0
    for rule in RULES:
        if limit := limits.get(rule.kind):
            tell(rule.kind)
            params = _params(limit, now)
            count = access.ask(partial(rule.count, params))
            removed += count
            yield MaintenanceStep(name=rule.kind, count=count, unit="to remove")
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


def _parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]


def _sweep(sweep: Callable[[Unit, Any], object], rows: Sequence[Row], unit: Unit) -> None:
    for key, *_ in rows:
        sweep(unit, key)


_SWEEPS: tuple[tuple[str, Callable[[Unit, Any], object]], ...] = (
    ("orphaned_entities", lambda unit, id: remove_orphaned_entities(unit, [id])),
    ("orphaned_passages", passages.remove),
    ("orphaned_vectors", lambda unit, seq: unit.send("blank_vectors", {"seq": seq})),
    ("orphaned_waiting", lambda unit, seq: unit.send("dequeue", {"seq": seq})),
)
"""What belongs to nothing: the statement that finds it, and how to remove one."""
