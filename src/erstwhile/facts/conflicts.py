"""Conflicts: pairs of possibly contradictory facts, for a person to settle."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from operator import attrgetter

from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError
from erstwhile.core.ids import id_range
from erstwhile.core.kinds import State, Trust
from erstwhile.core.ports import Row
from erstwhile.core.public_record import public_record
from erstwhile.core.results import Page
from erstwhile.core.text import checked_reason
from erstwhile.facts.fact import Fact
from erstwhile.facts.lifecycle import clipped
from erstwhile.facts.table import FACTS
from erstwhile.storage.columns import Codec, RowType
from erstwhile.storage.record import Collection, Record, owned
from erstwhile.storage.table import EITHER, RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_GONE = frozenset((State.RETIRED, State.DELETED))


@public_record
class Conflict(Record):
    """A pair of facts, the older one first. The conflict is open until `settled_at`."""

    _shown = ("short_id", "older.text", "newer.text", "resolution")
    older: Fact
    newer: Fact
    reason: str | None
    settled_at: datetime | None = None
    kept: str | None = None
    """The id of the fact that stays; None if both stay."""
    resolution: str | None = None
    moot: bool = False
    """Whether one of the two facts has ended or is deleted: the conflict is over."""

    def other(self, kept: str) -> Fact:
        """Return the fact of the pair whose id is not `kept`."""
        return self.newer if kept == self.older.id else self.older


def note_conflict(unit: Unit, fact: Fact, others: Iterable[Fact], reason: str) -> list[Conflict]:
    """Store a conflict between a fact and each of the others; stored pairs do not change.

    The conflict belongs to the narrower scope of the two facts.
    """
    pairs = [sorted((fact, other), key=lambda each: each.id) for other in others]
    return [_add_conflict(unit, older, newer, reason) for older, newer in pairs]


def open_conflicts_of(unit: Unit, fact: Fact) -> list[Conflict]:
    """Return the visible open conflicts of a fact."""
    found = CONFLICTS.select(unit, "open_conflicts_of", {"fact": fact.id})
    return [each for each in found if not each.moot]


def open_among(view: View, facts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of fact ids with an open conflict."""
    wanted = list(facts)
    rows = view.rows("open_conflicts_among", {"facts": json.dumps(wanted)}) if wanted else []
    return [(older, newer) for older, newer in rows]


class ConflictTable(RecordTable[Conflict]):
    """The table of conflicts; both facts are read as the view shows them, deleted or not."""

    noun = "conflict"
    name = "conflicts"

    row_type = RowType(
        Conflict,
        "conflict",
        without=("moot",),
        codecs={"older": Codec(attrgetter("id")), "newer": Codec(attrgetter("id"))},
    )

    def to_item(self, view: View, row: Row) -> Conflict:
        facts = [FACTS.find(view, id, among=EITHER) for id in row[8:10]]
        moot = any(fact.state_at(view.now) in _GONE for fact in facts)
        return self.row_type.decode((*row[:8], *facts, *row[10:]), moot=moot)


CONFLICTS = ConflictTable()


def _add_conflict(unit: Unit, older: Fact, newer: Fact, reason: str) -> Conflict:
    unit.tick()
    scope = newer.scope if newer.scope.sees(older.scope) else older.scope
    pair = {"scope": unit.scope_id(scope), "older": older.id, "newer": newer.id}
    if known := CONFLICTS.select(unit, "find_conflict", pair):
        return known[0]
    head = {**new_head(unit), "scope": scope}
    new = Conflict(older=older, newer=newer, reason=reason, **head)
    return CONFLICTS.add(unit, new, "note")


class Conflicts(Collection):
    """Pairs of facts that learning could not reconcile. Both stay live until one is chosen."""

    def get(self, id: str) -> Conflict:
        """Return one conflict, open or settled."""
        return CONFLICTS.get(self._access, id)

    def list(
        self, *, settled: bool = False, limit: int = 20, cursor: str | None = None
    ) -> Page[Conflict]:
        """Return a page of conflicts, newest first; open ones by default."""
        filters = {"settled": int(bool(settled))}
        return CONFLICTS.page(self._access, lambda _: filters, limit=limit, cursor=cursor)

    def settle(self, id: str, keep: str | None = None, *, reason: str | None = None) -> Conflict:
        """Choose the fact that stays; it supersedes the other. With None, both stay."""
        why = checked_reason(reason)
        return self._access.change(lambda unit: _settle(unit, id, keep, why))


def _settle(unit: Unit, id: str, keep: str | None, reason: str | None) -> Conflict:
    conflict = CONFLICTS.find_own(unit, id)
    if conflict.settled_at is not None:
        raise ConflictError(
            f"{conflict.short_id} was settled already",
            remedy="change the facts themselves: `facts.undo` restores the other fact",
        )
    kept = None if keep is None else _fact_to_keep(conflict, keep)
    if kept is not None:
        _keep_fact(unit, kept, conflict.other(kept.id), reason)
    done = replace(conflict, settled_at=unit.now, kept=kept.id if kept else None, resolution=reason)
    CONFLICTS.change(unit, conflict, done, "settle", reason)
    return CONFLICTS.find(unit, conflict.id)


def _fact_to_keep(conflict: Conflict, keep: str) -> Fact:
    lowest, highest = id_range(keep)
    found = [each for each in (conflict.older, conflict.newer) if lowest <= each.id <= highest]
    if len(found) != 1:
        raise InvalidInputError(
            f"{keep!r} is not one of the two facts",
            remedy=f"keep {conflict.older.short_id} or {conflict.newer.short_id}",
        )
    return found[0]


def _keep_fact(unit: Unit, kept: Fact, other: Fact, reason: str | None) -> None:
    """End the other fact where the kept one begins, unless it has ended already."""
    if kept.state_at(unit.now) not in (State.LIVE, State.QUARANTINED):
        raise ConflictError(f"{kept.short_id} is not true now", remedy="keep the other, or both")
    if other.retired_at is not None or other.deleted_at is not None:
        return
    if kept.trust is Trust.QUARANTINED and other.trust is Trust.TRUSTED:
        raise RefusedError(
            "a quarantined fact cannot replace a trusted one",
            remedy="approve it first, or keep the other",
        )
    ended = clipped(owned(unit.viewer, other), kept, unit.now)
    if other.scope != kept.scope:  # a chain of facts stays in one scope
        ended = replace(ended, superseded_by=None)
    FACTS.change(unit, other, ended, action="supersede", reason=reason)
    if other.scope == kept.scope:
        linked = replace(kept, supersedes=(*kept.supersedes, other.id))
        FACTS.change(unit, kept, linked, action="link", reason=reason)
