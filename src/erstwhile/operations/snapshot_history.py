"""Read, compare and restore earlier states of the facts and blocks of a scope.

A restoration makes ordinary changes: the memory believes again what it believed then, and the valid
times of its facts are those of then. A fact that was not known yet is retired, with no valid time.
Nothing is destroyed, and each change has its version and its audit entry. Tags, entities and
relations of a fact only grow, so they stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from erstwhile.blocks.block import Block, check_writable, checked_content, to_block
from erstwhile.blocks.table import BLOCKS
from erstwhile.core.errors import PurgedError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.core.scope import Scope, scope_params
from erstwhile.core.time import to_micros
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.table import FACTS
from erstwhile.operations.snapshot import ChangedBlock, ChangedFact, SnapshotDiff
from erstwhile.storage.audit_chain import find_seal
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_ENDING = frozenset(("retire", "supersede", "expire", "reject"))
_NAMED = 5
"""The most names that an error lists."""


class Period(NamedTuple):
    """A part of the recorded time of one scope."""

    scope: Scope
    since: datetime
    until: datetime


class Known(NamedTuple):
    """The touched facts of a period, and all blocks, as they were known at a moment, by id."""

    facts: Mapping[str, Fact]
    blocks: Mapping[str, Block]


def known_at(view: View, period: Period, moment: datetime) -> Known:
    """Return the facts that changed in a period or later, and all blocks, as of a moment."""
    params = {
        "scope": _scope_id(view, period.scope),
        "since": to_micros(period.since),
        "until": to_micros(period.until),
        "known_at": to_micros(moment),
    }
    facts = [to_fact(row) for row in view.rows("facts_known", params, "past")]
    blocks = [to_block(row) for row in view.rows("blocks_known", params)]
    return Known({fact.id: fact for fact in facts}, {block.id: block for block in blocks})


def check_whole(view: View, scope: Scope, moment: datetime, then: Known, now: Known) -> None:
    """Raise PurgedError if a state of a moment was erased, purged or pruned since."""
    pruned = [block.name for block in pruned_since(moment, then, now)]
    params = {"scope": _scope_id(view, scope), "since": to_micros(moment)}
    last_sealed = find_seal(view, params["scope"]).last
    parts = []
    if erased := _count_erased(view, params):
        parts.append(f"{erased:,} records were erased")
    if pruned:
        parts.append(f"earlier versions were pruned of {', '.join(pruned[:_NAMED])}")
    if last_sealed and view.rows("sealed_since", {**params, "last": last_sealed})[0][0]:
        parts.append("the audit trail was sealed, so it is unknown what was erased")
    if parts:
        raise PurgedError(
            f"the state of {moment:%Y-%m-%d %H:%M:%S} is incomplete: {'; '.join(parts)}",
            remedy="use partial=True for the rest",
        )


def pruned_since(moment: datetime, then: Known, now: Known) -> list[Block]:
    """Return the blocks of a moment whose earlier state was pruned."""
    return [b for b in now.blocks.values() if b.created_at <= moment and b.id not in then.blocks]


def _count_erased(view: View, params: Mapping[str, int]) -> int:
    """Count the facts and blocks open at a moment and erased since.

    Of an erased record the audit trail still has its changes, without their content.
    """
    lives: dict[str, list[str]] = defaultdict(list)
    for subject, action in view.rows("lives_of_erased", params):
        lives[subject].append(action)
    return sum(map(_was_open, lives.values()))


def _was_open(actions: Iterable[str]) -> bool:
    """Return whether the last change leaves an open fact or an existing block."""
    ended = deleted = False
    for action in actions:
        noun, _, verb = action.rpartition(".")
        if noun not in ("", "block"):
            return False
        ended = (ended or verb in _ENDING) and verb != "undo"
        deleted = (deleted or verb == "delete") and verb != "restore"
    return not (ended or deleted)


def _scope_id(view: View, scope: Scope) -> int:
    return int(view.rows("find_scope", scope_params(scope))[0][0])


_CLOSED = (State.RETIRED, State.DELETED)


def difference(period: Period, old: Known, new: Known, now: Known) -> SnapshotDiff:
    """Compare the states at both ends of a period. A fact deleted `now` is listed as deleted."""
    deleted = {id for id, fact in now.facts.items() if fact.deleted_at}
    before = {id: f for id, f in old.facts.items() if f.state_at(period.since) not in _CLOSED}
    after = {id: f for id, f in new.facts.items() if f.state_at(period.until) not in _CLOSED}
    after = {id: fact for id, fact in after.items() if id not in deleted}
    ended = {id: new.facts[id] for id in before if id not in after and id not in deleted}
    replaced = dict(_replaced(ended, before, after, new.facts))
    successors = {pair.after.id for pair in replaced.values()}
    changed = [ChangedFact(before=before[id], after=after[id]) for id in before if id in after]
    deleted_blocks = {id for id, block in now.blocks.items() if block.deleted_at}
    earlier = {id: block for id, block in old.blocks.items() if not block.deleted_at}
    later = {id: block for id, block in new.blocks.items() if not block.deleted_at}
    later = {id: block for id, block in later.items() if id not in deleted_blocks}
    blocks = [ChangedBlock(before=earlier[id], after=later[id]) for id in earlier if id in later]
    return SnapshotDiff(
        scope=period.scope,
        since=period.since,
        until=period.until,
        learned=tuple(f for id, f in after.items() if id not in before and id not in successors),
        changed=(*replaced.values(), *(pair for pair in changed if pair.fields)),
        ended=tuple(f.seen_at(period.until) for id, f in ended.items() if id not in replaced),
        deleted=tuple(now.facts[id] for id in before if id in deleted),
        blocks_added=tuple(block for id, block in later.items() if id not in earlier),
        blocks_changed=tuple(pair for pair in blocks if not _same_block(pair.before, pair.after)),
        blocks_deleted=tuple(block for id, block in earlier.items() if id not in later),
    )


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


def _same_block(one: Block, other: Block) -> bool:
    """Return whether two versions of a block are equal, except version and time."""
    return replace(one, version=other.version, updated_at=other.updated_at) == other


class FactStep(NamedTuple):
    """The change of one fact by a restoration."""

    old: Fact
    new: Fact

    @property
    def opens(self) -> bool:
        return self.new.retired_at is None and self.new.deleted_at is None

    @property
    def action(self) -> str:
        """The action for the audit trail."""
        if self.old.deleted_at != self.new.deleted_at:
            return "delete" if self.new.deleted_at else "restore"
        if (self.old.retired_at is None) != (self.new.retired_at is None):
            return "retire" if self.new.retired_at else "undo"
        return "revert"


def fact_steps(now: Known, then: Known, at: datetime) -> list[FactStep]:
    """Return the changes of facts to restore, those that close a fact first.

    So a fact that opens finds the place of its text and its key free.
    """
    pairs = ((fact, then.facts.get(id)) for id, fact in now.facts.items())
    steps = [
        FactStep(fact, _retracted(fact, at) if old is None else _earlier_fact(fact, old, at))
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
    """Restore blocks, except those with ids in `kept`.

    A block that gets another name is hidden first, so that two blocks can swap their names.
    """
    steps = [
        (block, target)
        for id, block in now.blocks.items()
        if id not in kept
        and (target := _earlier_block(unit, block, then.blocks.get(id))) is not None
    ]
    steps.sort(key=lambda step: step[1].deleted_at is None)  # the name of a deleted block is free
    hidden = {
        old.id: old
        if old.deleted_at
        else _put_block(unit, old, replace(old, deleted_at=unit.now), reason)
        for old, new in steps
        if old.name != new.name
    }
    if hidden:
        unit.tick()
    return [_put_block(unit, hidden.get(old.id, old), new, reason) for old, new in steps]


def _retracted(fact: Fact, at: datetime) -> Fact:
    """Return a later fact without any valid time; a deleted one stays deleted.

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


def _earlier_fact(fact: Fact, then: Fact, at: datetime) -> Fact:
    """Return a fact in an earlier state. What only grows stays."""
    return replace(
        then,
        known_from=fact.known_from,
        tags=fact.tags,
        entities=fact.entities,
        relations=fact.relations,
        deleted_at=(fact.deleted_at or at) if then.deleted_at else None,
    )


def _earlier_block(unit: Unit, block: Block, then: Block | None) -> Block | None:
    """Return the next version of a block, or None if it is as it was then."""
    if then is None or then.deleted_at is not None:
        target = block if block.deleted_at else replace(block, deleted_at=unit.now)
    else:
        target = replace(then, content=checked_content(then.content))
    if _same_block(block, target):
        return None
    if block.deleted_at is None:
        check_writable(block)
    return target


def _put_block(unit: Unit, old: Block, new: Block, reason: str) -> Block:
    action = "restore" if new.deleted_at is None else "delete"
    if old.deleted_at is not None and new.deleted_at is None:
        BLOCKS.check_name_free(unit, new.name, new.scope)
    numbered = replace(new, version=old.version + 1, updated_at=unit.now)
    return BLOCKS.change(unit, old, numbered, action, reason)
