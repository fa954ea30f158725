"""Bring the facts and blocks of a scope back to an earlier state, by ordinary changes.

The memory believes again what it believed then: the valid times of its facts are those of then. A
fact that was not known yet is retired, with no valid time. Nothing is destroyed, and each change
has its version and its audit entry. Tags, entities and relations of a fact only grow, so they stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from erstwhile.blocks.block import Block, check_writable, checked_content
from erstwhile.blocks.table import BLOCKS
from erstwhile.core.kinds import Ending, Trust
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.snapshots.differences import same_block
from erstwhile.snapshots.history import Known
from erstwhile.storage.unit import Unit


class FactStep(NamedTuple):
    """The change of one fact by a restoration."""

    old: Fact
    new: Fact

    @property
    def opens(self) -> bool:
        return self.new.retired_at is None and self.new.deleted_at is None

    @property
    def action(self) -> str:
        """What happens to the fact."""
        if self.old.deleted_at != self.new.deleted_at:
            return "delete" if self.new.deleted_at else "restore"
        if (self.old.retired_at is None) != (self.new.retired_at is None):
            return "retire" if self.new.retired_at else "undo"
        return "revert"


def fact_steps(now: Known, then: Known, at: datetime) -> list[FactStep]:
    """Return the changes that bring facts back: those that close a fact come first.

    So a fact that opens finds the place of its text and its key free.
    """
    pairs = ((fact, then.facts.get(id)) for id, fact in now.facts.items())
    steps = [
        FactStep(fact, _taken_back(fact, at) if old is None else _as_then(fact, old, at))
        for fact, old in pairs
    ]
    return sorted((step for step in steps if step.old != step.new), key=lambda step: step.opens)


def restore_facts(unit: Unit, steps: list[FactStep], reason: str) -> None:
    """Store the changes of facts.

    In the audit trail, `retire` would mean that a person said of this fact that it is wrong.
    """
    for step in steps:
        action = "revert" if step.action == "retire" else step.action
        FACTS.change(unit, step.old, step.new, action, reason)


def restore_blocks(unit: Unit, now: Known, then: Known, kept: set[str], reason: str) -> list[Block]:
    """Bring blocks back; `kept` are the ids of the blocks that stay as they are.

    A block that gets another name is hidden first, so that two blocks can swap their names.
    """
    steps = [
        (block, target)
        for id, block in now.blocks.items()
        if id not in kept and (target := _block_then(unit, block, then.blocks.get(id))) is not None
    ]
    hidden = {old.id: _hide(unit, old, reason) for old, new in steps if old.name != new.name}
    if hidden:
        unit.tick()
    return [_put_block(unit, hidden.get(old.id, old), new, reason) for old, new in _ordered(steps)]


def _taken_back(fact: Fact, at: datetime) -> Fact:
    """Return a fact that was not known then without any valid time; a deleted one stays so.

    A quarantined fact is not called wrong: that would mean that a person rejected it.
    """
    if fact.deleted_at is not None or (fact.retired_at and fact.valid_to == fact.valid_from):
        return fact
    quarantined = fact.trust is Trust.QUARANTINED
    return replace(
        fact,
        retired_at=fact.retired_at or at,
        ending=Ending.SUPERSEDED if quarantined else Ending.WRONG,
        valid_to=fact.valid_from,
    )


def _as_then(fact: Fact, then: Fact, at: datetime) -> Fact:
    """Return a fact in an earlier state. What only grows stays."""
    return replace(
        then,
        known_from=fact.known_from,
        tags=fact.tags,
        entities=fact.entities,
        relations=fact.relations,
        deleted_at=(fact.deleted_at or at) if then.deleted_at else None,
    )


def _block_then(unit: Unit, block: Block, then: Block | None) -> Block | None:
    """Return the next version of a block, or None if it is as it was then."""
    if then is None or then.deleted_at is not None:
        target = block if block.deleted_at else replace(block, deleted_at=unit.now)
    else:
        target = replace(then, content=checked_content(then.content))
    if same_block(block, target):
        return None
    if block.deleted_at is None:
        check_writable(block)
    return target


def _ordered(steps: list[tuple[Block, Block]]) -> Iterator[tuple[Block, Block]]:
    """Yield the deletions first: the name of a deleted block is free."""
    yield from sorted(steps, key=lambda step: step[1].deleted_at is None)


def _hide(unit: Unit, block: Block, reason: str) -> Block:
    if block.deleted_at is not None:
        return block
    return _put_block(unit, block, replace(block, deleted_at=unit.now), reason)


def _put_block(unit: Unit, old: Block, new: Block, reason: str) -> Block:
    action = "restore" if new.deleted_at is None else "delete"
    if old.deleted_at is not None and new.deleted_at is None:
        BLOCKS.check_name_free(unit, new.name, new.scope)
    numbered = replace(new, version=old.version + 1, updated_at=unit.now)
    return BLOCKS.change(unit, old, numbered, action, reason)
