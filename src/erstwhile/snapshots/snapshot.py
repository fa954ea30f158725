"""A snapshot, the difference between two, and the result of a restoration."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime

from erstwhile.blocks.block import Block
from erstwhile.core.scope import Scope
from erstwhile.facts.fact import Fact
from erstwhile.secrets.masking import masked_repr
from erstwhile.snapshots.report import written
from erstwhile.storage.record import Record

MAX_NAME = 150
MAX_DESCRIPTION = 2_000


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Record):
    """A named moment: what the memory knew of its scope then."""

    name: str
    at: datetime
    """The moment, in recorded time."""
    description: str


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFact:
    """A fact before and after: the same fact in another state, or the fact that replaced it."""

    before: Fact
    after: Fact

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that differ, if it is the same fact."""
        if self.before.id != self.after.id:
            return ()
        names = (each.name for each in fields(Fact) if each.name != "known_from")
        return tuple(n for n in names if getattr(self.before, n) != getattr(self.after, n))


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedBlock:
    """A block before and after."""

    before: Block
    after: Block


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotDiff:
    """What was learned, changed and ended in one scope between two moments."""

    scope: Scope
    since: datetime
    until: datetime
    learned: tuple[Fact, ...] = ()
    changed: tuple[ChangedFact, ...] = ()
    ended: tuple[Fact, ...] = ()
    deleted: tuple[Fact, ...] = ()
    """Facts that are deleted now. The report does not repeat their texts."""
    blocks_added: tuple[Block, ...] = ()
    blocks_changed: tuple[ChangedBlock, ...] = ()
    blocks_deleted: tuple[Block, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not any(getattr(self, each.name) for each in fields(self)[3:])

    @property
    def report(self) -> str:
        """The difference as Markdown, for people to read."""
        return written(self)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """What a restoration changed. Restoring `before` undoes it."""

    snapshot: Snapshot
    before: Snapshot
    """A snapshot of the state before, made in the same transaction."""
    retired: tuple[str, ...]
    """The ids of the facts that were not known then, and are retired now."""
    revived: tuple[str, ...]
    """The ids of the facts that had ended or were deleted since then."""
    changed: tuple[str, ...]
    """The ids of the other facts that are again as they were."""
    blocks: tuple[str, ...]
    """The names of the blocks that are again as they were, or are deleted now."""
