"""The collection `memory.snapshots`: named moments of exactly one scope."""

from __future__ import annotations

from datetime import timedelta

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.results import Page, Receipt
from erstwhile.core.text import checked_name, checked_reason, checked_text
from erstwhile.core.time import Moment, parse_moment
from erstwhile.operations.snapshot import (
    MAX_DESCRIPTION,
    MAX_NAME,
    SNAPSHOTS,
    Restoration,
    Snapshot,
    SnapshotDiff,
)
from erstwhile.operations.snapshot_history import (
    FactStep,
    Period,
    check_whole,
    difference,
    fact_steps,
    known_at,
    pruned_since,
    restore_blocks,
    restore_facts,
)
from erstwhile.storage.record import Collection, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_KEPT = 100
"""The characters of a name that the snapshot before a restoration keeps in its own name."""


class Snapshots(Collection):
    """The visible snapshots, by name. A name means the snapshot of the narrowest scope."""

    def create(self, name: str, *, at: Moment | None = None, description: str = "") -> Snapshot:
        """Give a name to this moment, or to an earlier one, for exactly this scope.

        Nothing is copied: the states of that moment are in the history already.
        """
        checked, text = _checked_name(name), description
        if description != "":
            text = checked_text(description, name="description", limit=MAX_DESCRIPTION)

        def created(unit: Unit) -> Snapshot:
            scope = scope_for_new(unit.viewer, "create a snapshot")
            moment = unit.now if at is None else parse_moment(at, now=unit.now, name="at")
            if moment > unit.now:
                raise InvalidInputError("at lies in the future", remedy="leave it out for now")
            return SNAPSHOTS.create(unit, scope, checked, moment, text)

        return self._access.change(created)

    def get(self, name: str) -> Snapshot:
        """Return the snapshot of a name."""
        return SNAPSHOTS.get(self._access, _checked_name(name))

    def list(
        self, *, deleted: bool = False, limit: int = 20, cursor: str | None = None
    ) -> Page[Snapshot]:
        """Return a page of snapshots, the last created first."""
        return SNAPSHOTS.page(
            self._access, lambda _view: {}, deleted=deleted, limit=limit, cursor=cursor
        )

    def diff(self, name: str, other: str | None = None, *, partial: bool = False) -> SnapshotDiff:
        """Return what was learned, changed and ended from a snapshot to another one, or to now.

        The earlier one comes first in the result, whatever the order of the names. If a part of
        the history was destroyed, raise PurgedError; with `partial`, leave this part out.
        """
        names = [_checked_name(each) for each in ([name] if other is None else [name, other])]
        return self._access.ask(lambda view: _compare(view, names, partial=partial))

    def restore(
        self, name: str, *, partial: bool = False, reason: str | None = None
    ) -> Restoration:
        """Bring the facts and blocks of exactly this scope back to the state of a snapshot.

        Later facts are retired, ended ones are revived; nothing is destroyed. The state
        before gets a snapshot, too: restore that to undo this. Erased content stays erased: it
        raises PurgedError, or with `partial` what is left is restored.
        """
        checked, why = _checked_name(name), checked_reason(reason)
        self._access.viewer.check_person("return to a snapshot")
        return self._access.change(lambda unit: _restore(unit, checked, why, partial=partial))

    def delete(self, name: str, *, reason: str | None = None) -> Snapshot:
        """Hide a snapshot until it is purged. Create it again with the same `at` to undo this."""
        return SNAPSHOTS.delete(self._access, _checked_name(name), reason)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the snapshots of exactly this scope deleted longer ago than `older_than`."""
        return SNAPSHOTS.purge(self._access, older_than)

    def erase(self, *names: str) -> Receipt:
        """Destroy snapshots, deleted or not. Facts and blocks stay as they are."""
        return SNAPSHOTS.erase(self._access, [_checked_name(name) for name in names])


def _checked_name(name: str) -> str:
    return checked_name(name, name="the name of a snapshot", limit=MAX_NAME)


def _compare(view: View, names: list[str], *, partial: bool) -> SnapshotDiff:
    snapshots = [SNAPSHOTS.find(view, name) for name in names]
    scopes = {snapshot.scope for snapshot in snapshots}
    if len(scopes) > 1:
        raise InvalidInputError(
            f"these are snapshots of two scopes: {'; '.join(map(str, scopes))}",
            remedy="compare snapshots of one scope",
        )
    moments = sorted(snapshot.at for snapshot in snapshots)
    until = moments[1] if len(moments) > 1 else view.now
    period = Period(scopes.pop(), moments[0], until)
    now = known_at(view, period, view.now)
    old, new = (known_at(view, period, moment) for moment in (period.since, until))
    if not partial:
        check_whole(view, period.scope, period.since, old, now)
        check_whole(view, period.scope, until, new, now)
    return difference(period, old, new, now)


def _restore(unit: Unit, name: str, reason: str | None, *, partial: bool) -> Restoration:
    snapshot = SNAPSHOTS.find_own(unit, name)
    period = Period(snapshot.scope, snapshot.at, unit.now)
    then, now = (known_at(unit, period, moment) for moment in (snapshot.at, unit.now))
    if not partial:
        check_whole(unit, snapshot.scope, snapshot.at, then, now)
    undoing = f"before {snapshot.name[:_KEPT]} {unit.now:%Y-%m-%d %H:%M:%S.%f}"
    before = SNAPSHOTS.create(unit, snapshot.scope, undoing, unit.now)
    unit.tick()
    why = reason or f"snapshot {snapshot.name}"
    steps = fact_steps(now, then, unit.now)
    restore_facts(unit, steps, why)
    pruned = {block.id for block in pruned_since(snapshot.at, then, now)}
    blocks = restore_blocks(unit, now, then, pruned, why)
    return Restoration(
        snapshot=snapshot,
        before=before,
        retired=_ids(steps, "retire"),
        revived=_ids(steps, "undo", "restore"),
        changed=_ids(steps, "revert", "delete"),
        blocks=tuple(block.name for block in blocks),
    )


def _ids(steps: list[FactStep], *actions: str) -> tuple[str, ...]:
    return tuple(step.old.id for step in steps if step.action in actions)
