"""Seal old audit entries, in short transactions.

1. Mark the entries that stored states need. Marks change nothing for a verification.
2. Add the seal, which covers the marked entries. From now on all others may be missing.
3. Remove the others.

An interrupted sealing is finished by the next one. Old states can disappear meanwhile, but none
can appear, so an entry that is not marked is never needed later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.storage.access import Access
from erstwhile.storage.audit_seal import SEAL, digest_of_kept, find_seal
from erstwhile.storage.columns import to_scope
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

Step: TypeAlias = Callable[[Callable[[Unit], int]], int]
"""A function that runs a change in a short transaction of its own."""
SECTION = 500
"""The number of entries that one transaction marks or removes."""
_WORTH = 5
"""Seal a chain if at least one of so many old entries can go: marking the others costs time."""


class OldPart(NamedTuple):
    """The old part of a chain: what can be removed of it, and whether it needs a new seal."""

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
    """Seal the entries before a moment in every chain that is worth it; return their number."""
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
    if part.unsealed:
        for section in _sections(place):
            step(partial(_run, "keep_entries", section))
        kept = access.ask(lambda view: digest_of_kept(_kept(view, place)))
        step(partial(_add_seal, part, kept))
    return sum(step(partial(_run, "remove_sealed", section)) for section in _sections(place))


def _sections(place: dict[str, int]) -> Iterator[dict[str, int]]:
    for after in range(0, place["last"], SECTION):
        yield {**place, "after": after, "until": min(after + SECTION, place["last"])}


def _run(statement: str, section: dict[str, int], unit: Unit) -> int:
    return unit.run(statement, section)


def _add_seal(part: OldPart, kept: str, unit: Unit) -> int:
    reason = f"removed {part.removable:,} entries that no stored record needs"
    unit.record(SEAL, str(part.last), part.scope, reason, [part.last, kept])
    return 1


def _kept(view: View, place: dict[str, int]) -> Iterator[Row]:
    after = 0
    while rows := view.rows("kept_entries", {**place, "after": after, "limit": SECTION}):
        yield from rows
        after = rows[-1][0]
