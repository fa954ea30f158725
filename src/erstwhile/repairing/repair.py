"""Repair a memory: rebuild what can be derived, or salvage a damaged file into a new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from erstwhile.copying.copy import unvouched_permissions
from erstwhile.core.ports import Clock, Engine
from erstwhile.core.scope import Viewer
from erstwhile.repairing.salvage import SalvagedRows
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.access import Access
from erstwhile.storage.audit import verify_trail
from erstwhile.upkeep.lease import MaintenanceLease
from erstwhile.upkeep.rebuild import rebuild

Tell = Callable[[str], None]


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The result of a repair."""

    path: str
    """The memory that was repaired, or the new file."""
    rebuilt: Mapping[str, int] = field(hash=False)
    """How many entries of each derived thing were wrong and made again."""
    tables: tuple[SalvagedRows, ...] = ()
    """What was salvaged of each table; empty if nothing had to be."""
    audit_problems: int = 0
    """What the audit trail says about lost rows and entries."""
    unvouched: int = 0
    """The permissions of people that allow nothing, because nobody vouches for their file."""

    @property
    def ok(self) -> bool:
        """Whether nothing was lost."""
        lost = any(each.lost or each.cut_off or each.uncounted for each in self.tables)
        return not lost and not self.audit_problems


def rebuilt(
    engine: Engine, clock: Clock, path: str | Path, tables: tuple[SalvagedRows, ...], tell: Tell
) -> Repaired:
    """Rebuild what can be derived, and verify the audit trail."""
    access = Access(engine, clock, Viewer(everything=True, name="repair"), LazyAnalyser())
    counts: dict[str, int] = {}
    with MaintenanceLease(access) as lease:
        for name, count in rebuild(access, lease):
            tell(name)
            counts[name] = count
    tell("audit")
    return Repaired(
        path=str(path),
        rebuilt=MappingProxyType(counts),
        tables=tables,
        audit_problems=len(verify_trail(access).problems),
        unvouched=unvouched_permissions(engine),
    )
