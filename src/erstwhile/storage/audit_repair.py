"""Repair the times of a space after a clock was wrong.

One change with a clock that is years ahead stamps a time that no later change can follow. All
times since then are moved back together, so that their order stays, and the chains of hashes are
made anew. They are verified before: a repair must not hide that somebody tampered with the trail.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from erstwhile.core.errors import CorruptError
from erstwhile.core.ports import Row
from erstwhile.core.time import DRIFT, ENDLESS, from_micros
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.audit_chain import digest, genesis, link
from erstwhile.storage.audit_seal import find_seal
from erstwhile.storage.audit_verification import RECORDED, noun_of, read_chain, verify
from erstwhile.storage.columns import to_scope
from erstwhile.storage.moved_times import moves
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_DAY = 86_400_000_000


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRepair:
    """The changes whose times lay in the future, and the time of their repair."""

    entries: int
    """The number of audit entries with such a time."""
    first: datetime | None = None
    last: datetime | None = None
    at: datetime | None = None
    """None for a preview, or if there was nothing to repair."""


def preview_repair(view: View) -> TimeRepair:
    """Return what a repair would move."""
    first, _, count, newest = _beyond(view)
    if first is None:
        return TimeRepair(entries=0)
    return TimeRepair(entries=count, first=from_micros(first), last=from_micros(newest))


def repair_time(unit: Unit) -> TimeRepair:
    """Move all times that lie in the future, so that none does."""
    found = preview_repair(unit)
    if not found.entries:
        return found
    if problems := verify(unit).problems:
        raise CorruptError(
            f"the audit trail has problems, the first one: {problems[0]}",
            remedy="see `audit.verify`; restore a copy",
        )
    while (beyond := _beyond(unit))[0] is not None:
        _move(unit, *beyond)
    unit.continue_after(beyond[3])
    for number, _, _, *dimensions in unit.rows("visible_chains", {}):
        scope = to_scope(*dimensions)
        if _rewrite_chain(unit, number, genesis(scope)):
            unit.record("time.repair", "time", scope, f"{found.entries} times lay in the future")
    return TimeRepair(entries=found.entries, first=found.first, last=found.last, at=unit.now)


def _beyond(view: View) -> Row:
    """Return the first change in the future, the last one before it, their number, the newest."""
    return view.rows("first_beyond", {"limit": view.stamp + DRIFT})[0]


def _move(unit: Unit, first: int, before: int | None, _count: int, newest: int) -> None:
    """Move the times since the first one in the future back: up to now, but after all others."""
    gap = first - (unit.stamp if before is None else before) - 1
    times = {"first": first, "shift": min(newest - unit.stamp, gap), "endless": ENDLESS}
    for statement in moves():
        unit.run_text(statement, times)
    unit.run("move_fact_uses", {"day": unit.stamp // _DAY})


def _rewrite_chain(unit: Unit, scope: int, before: bytes) -> bool:
    """Make the hashes of a chain anew; return whether one of them changed."""
    states, seal = _states(unit, scope), find_seal(unit, scope)
    rewritten, seq = False, 0
    for entry in read_chain(unit, scope):
        seq, at, actor, action, subject, reason, nonce, content, hashed, *_ = entry
        if seal.covers(entry):  # sealed entries are old, and none of their times lay in the future
            before = hashed
            continue
        state = states.get((noun_of(action), subject, at))
        if state is not None and nonce is not None:
            content = digest(nonce, reason, state)
        before = link(before, content, (seq, at, actor, action, subject))
        if before != hashed:
            changed = {"scope": scope, "seq": seq, "digest": content, "hash": before}
            unit.run("rewrite_entry", changed)
            rewritten = True
    if rewritten:
        unit.run("move_head", {"id": scope, "head_seq": seq, "head_hash": before})
    return rewritten


def _states(unit: Unit, scope: int) -> dict[tuple[str, str, int], list[Any]]:
    """Return all stored states of a scope, by kind, record and time."""
    return {
        (kind.noun, id, known_from): state
        for kind in RECORDED
        for id, known_from, _, *state in unit.rows(kind.statement, {"scope": scope})
    }
