"""The difference between two states of a scope, as pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from erstwhile.blocks.block import Block
from erstwhile.core.kinds import State
from erstwhile.facts.fact import Fact
from erstwhile.snapshots.history import Known, Period
from erstwhile.snapshots.snapshot import ChangedBlock, ChangedFact, SnapshotDiff

_CLOSED = (State.RETIRED, State.DELETED)


def difference(period: Period, old: Known, new: Known, now: Known) -> SnapshotDiff:
    """Return what differs at the end of a period. A fact deleted `now` is listed as deleted."""
    deleted = {id for id, fact in now.facts.items() if fact.deleted_at}
    before = {id: f for id, f in old.facts.items() if _is_open(f, period.since)}
    after = {id: f for id, f in new.facts.items() if _is_open(f, period.until)}
    after = {id: fact for id, fact in after.items() if id not in deleted}
    ended = {id: new.facts[id] for id in before if id not in after and id not in deleted}
    replaced = dict(_replaced(ended, before, after, new.facts))
    successors = {pair.after.id for pair in replaced.values()}
    changed = [ChangedFact(before=before[id], after=after[id]) for id in before if id in after]
    found = SnapshotDiff(
        scope=period.scope,
        since=period.since,
        until=period.until,
        learned=tuple(f for id, f in after.items() if id not in before and id not in successors),
        changed=(*replaced.values(), *(pair for pair in changed if pair.fields)),
        ended=tuple(f.seen_at(period.until) for id, f in ended.items() if id not in replaced),
        deleted=tuple(now.facts[id] for id in before if id in deleted),
    )
    return _with_blocks(found, old.blocks, new.blocks, now.blocks)


def _is_open(fact: Fact, at: datetime) -> bool:
    return fact.state(at) not in _CLOSED


def _replaced(
    ended: Mapping[str, Fact],
    before: Mapping[str, Fact],
    after: Mapping[str, Fact],
    states: Mapping[str, Fact],
) -> Iterator[tuple[str, ChangedFact]]:
    """Yield each ended fact with the open fact at the end of its line of successors."""
    for id, fact in ended.items():
        met, last = {id}, fact
        while (successor := states.get(last.superseded_by or "")) and successor.id not in met:
            met.add(successor.id)
            last = successor
        if last.id in after:
            yield id, ChangedFact(before=before[id], after=last)


def _with_blocks(
    found: SnapshotDiff,
    old: Mapping[str, Block],
    new: Mapping[str, Block],
    now: Mapping[str, Block],
) -> SnapshotDiff:
    gone = {id for id, block in now.items() if block.deleted_at}
    before = {id: block for id, block in old.items() if not block.deleted_at}
    after = {id: b for id, b in new.items() if not b.deleted_at and id not in gone}
    pairs = [ChangedBlock(before=before[id], after=after[id]) for id in before if id in after]
    return replace(
        found,
        blocks_added=tuple(block for id, block in after.items() if id not in before),
        blocks_changed=tuple(pair for pair in pairs if not same_block(pair.before, pair.after)),
        blocks_deleted=tuple(block for id, block in before.items() if id not in after),
    )


def same_block(one: Block, other: Block) -> bool:
    """Return whether two versions of a block hold the same."""
    return replace(one, version=other.version, updated_at=other.updated_at) == other
