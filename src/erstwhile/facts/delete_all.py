"""Delete all facts of a user, and restore them.

A transaction changes a limited number of facts, so that other writers need not wait for long. An
interrupted call is finished by calling it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import MIN_ID
from erstwhile.core.results import BulkChange
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.core.text import checked_reason
from erstwhile.core.time import EPOCH, Moment
from erstwhile.facts.fact import Fact
from erstwhile.facts.remember import check_no_rival
from erstwhile.facts.table import FACTS
from erstwhile.storage.access import Access
from erstwhile.storage.erasure import BATCH
from erstwhile.storage.table import DELETED, PRESENT
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


def delete_all(
    access: Access, user: str | None, reason: str | None, *, preview: bool
) -> BulkChange:
    """Delete the facts of a user in the viewer's scope and all narrower ones."""
    why = checked_reason(reason)

    def delete(unit: Unit, fact: Fact) -> None:
        FACTS.change(unit, fact, replace(fact, deleted_at=unit.now), "delete", why)

    found = _FactsOfUser(access.viewer, user, PRESENT[0])
    return found.changed(access, delete, preview=preview)


def restore_all(
    access: Access, user: str | None, since: Moment, reason: str | None, *, preview: bool
) -> BulkChange:
    """Restore the facts of a user that were deleted at a time or later."""
    why = checked_reason(reason)

    def restore(unit: Unit, fact: Fact) -> None:
        check_no_rival(unit, fact)
        FACTS.change(unit, fact, replace(fact, deleted_at=None), "restore", why)

    found = _FactsOfUser(access.viewer, user, DELETED[0], since)
    return found.changed(access, restore, preview=preview)


class _FactsOfUser:
    """The facts of a user to delete or to restore."""

    def __init__(
        self, viewer: Viewer, user: str | None, kept: str, since: Moment | None = None
    ) -> None:
        viewer.check_person("delete or restore all facts of a user")
        self._scope = _scope_of_user(viewer.scope, user)
        self._kept = kept
        self._since = since

    def changed(
        self, access: Access, change: Callable[[Unit, Fact], None], *, preview: bool
    ) -> BulkChange:
        """Change the facts in batches; the audit trail names the real actor."""
        whole = access.seen_by(Viewer(everything=True, name=access.viewer.actor))
        if preview:
            return BulkChange(facts=whole.ask(self._count))
        began: datetime | None = None
        last, facts, skipped = MIN_ID, 0, list[str]()
        while True:
            at, found, left = whole.change(partial(self._step, after=last, change=change))
            if not found:
                return BulkChange(facts=facts, at=began, skipped=tuple(skipped))
            began, last = began or at, found[-1].id
            facts += len(found) - len(left)
            skipped += left

    def _step(
        self, unit: Unit, after: str, change: Callable[[Unit, Fact], None]
    ) -> tuple[datetime, list[Fact], list[str]]:
        """Change one batch; return its time, its facts, and the ids of those that are left out."""
        began, left = unit.now, list[str]()
        params = {**self._params(unit), "after": after, "limit": BATCH}
        found = FACTS.select(unit, "kept_facts_within", params, "narrower", self._kept)
        for fact in found:
            try:
                change(unit, fact)
            except ConflictError:  # another fact has taken its place
                left.append(fact.id)
        return began, found, left

    def _count(self, view: View) -> int:
        rows = view.rows("count_kept_within", self._params(view), "narrower", self._kept)
        return int(rows[0][0])

    def _params(self, view: View) -> dict[str, str | int]:
        since = view.parse(self._since, "since", default=EPOCH)
        return {**scope_params(self._scope), "deleted_since": since}


def _scope_of_user(scope: Scope, user: str | None) -> Scope:
    """Return the scope of one user. An unknown user must not become all users."""
    narrowed = scope.narrowed(user=user)
    if narrowed.user is None:
        raise InvalidInputError("no user was named", remedy='name one: user="ana"')
    return narrowed
