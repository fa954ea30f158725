"""The collection `memory.conflicts`: pairs of facts for a person to settle."""

from __future__ import annotations

from dataclasses import replace

from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError
from erstwhile.core.ids import id_range
from erstwhile.core.kinds import State, Trust
from erstwhile.core.results import Page
from erstwhile.core.text import checked_reason
from erstwhile.facts.changes import undo
from erstwhile.facts.conflict import CONFLICTS, Conflict
from erstwhile.facts.fact import Fact
from erstwhile.facts.lifecycle import clipped
from erstwhile.facts.table import FACTS
from erstwhile.storage.record import Collection, owned
from erstwhile.storage.unit import Unit


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

    def undo(self, id: str, *, reason: str | None = None) -> Conflict:
        """Undo a settlement: the conflict is open again, and the fact that it ended is live."""
        why = checked_reason(reason)
        return self._access.change(lambda unit: _undo(unit, id, why))


def _settle(unit: Unit, id: str, keep: str | None, reason: str | None) -> Conflict:
    conflict = CONFLICTS.find_own(unit, id)
    if conflict.settled_at is not None:
        raise ConflictError(
            f"{conflict.short_id} is already settled",
            remedy="undo that first, with `conflicts.undo`",
        )
    kept = None if keep is None else _fact_to_keep(conflict, keep)
    if kept is not None:
        _keep_fact(unit, kept, conflict.other(kept.id), reason)
    done = replace(conflict, settled_at=unit.now, kept=kept.id if kept else None, resolution=reason)
    CONFLICTS.change(unit, conflict, done, "settle", reason)
    return CONFLICTS.find(unit, conflict.id)


def _undo(unit: Unit, id: str, reason: str | None) -> Conflict:
    conflict = CONFLICTS.find_own(unit, id)
    if conflict.settled_at is None:
        raise ConflictError(f"{conflict.short_id} is open", remedy="there is nothing to undo")
    for other in (conflict.older, conflict.newer):
        if other.retired_at == conflict.settled_at and other.deleted_at is None:
            alive = undo(unit, owned(unit.viewer, other))
            FACTS.change(unit, other, alive, "undo", reason)
    unsettled = replace(conflict, settled_at=None, kept=None, resolution=None)
    CONFLICTS.change(unit, conflict, unsettled, "undo", reason)
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
