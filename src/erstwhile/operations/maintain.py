"""Maintain a memory: apply retention, remove orphans, and optimise the store.

Everything runs in short transactions, with a pause after each, so that no other writer waits for
long. A run that is interrupted loses nothing: the next one continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from secrets import randbelow

from erstwhile.core.arguments import checked_arguments
from erstwhile.core.errors import ScopeError, StorageError
from erstwhile.core.policies import KeepRule, Retained, Retention, RetentionLimits, parse_retention
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.core.time import to_micros
from erstwhile.facts.feedback import forget_old_uses
from erstwhile.facts.table import remove_orphaned_entities
from erstwhile.operations.lease import MaintenanceLease
from erstwhile.operations.rebuild import ORPHANS, TERMS, RowRepair, repair_found
from erstwhile.operations.results import Maintained, MaintenanceStep
from erstwhile.operations.retention import (
    EXPIRING,
    RULES,
    RetentionRule,
    count_sealable,
    seal_chains,
)
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.record import Collection
from erstwhile.storage.unit import Unit

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
