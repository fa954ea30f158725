"""The collection `memory.limitations`: things that the agent cannot do yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from erstwhile.core.errors import ConflictError
from erstwhile.core.kinds import NOT_DELETED, choice
from erstwhile.core.results import Page
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_label, fingerprint
from erstwhile.records.model import MAX_TITLE, Limitation, LimitationStatus, checked_part
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import RecordCollection, scope_for_new
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit


class LimitationTable(RecordTable[Limitation]):
    """The table of limitations."""

    noun = "limitation"
    name = "limitations"
    row_type = RowType(Limitation, "limitation")

    def derived(self, item: Limitation) -> dict[str, Any]:
        return {"fingerprint": fingerprint(item.title, None)}


LIMITATIONS = LimitationTable()


class Limitations(RecordCollection[Limitation], noun="limitation"):
    """Limitations that were reported, open or resolved."""

    _table = LIMITATIONS

    def add(
        self, title: str, *, description: str | None = None, plan: str | None = None
    ) -> Limitation:
        """Add a limitation. If one with this title is open, increase its count instead.

        Then a missing description or plan is filled in, and an existing one stays.
        If the limitation of that title was resolved, a new one is opened.
        """
        name = checked_label(title, name="title", limit=MAX_TITLE)
        details, planned = checked_part(description, "description"), checked_part(plan, "plan")

        def add(unit: Unit) -> Limitation:
            known = _find_open(unit, scope_for_new(unit.viewer, "record"), name)
            if known is None:
                head = {**new_head(unit), "reported_at": unit.now}
                new = Limitation(title=name, description=details, plan=planned, **head)
                return LIMITATIONS.add(unit, new, "add")
            again = replace(
                known,
                reports=known.reports + 1,
                reported_at=unit.now,
                description=known.description or details,
                plan=known.plan or planned,
            )
            return LIMITATIONS.change(unit, known, again, "report")

        return self._access.change(add)

    def resolve(self, id: str, *, resolution: str | None = None) -> Limitation:
        """Mark a limitation as resolved."""
        how = checked_part(resolution, "resolution")

        def resolve(unit: Unit) -> Limitation:
            known = LIMITATIONS.find_own(unit, id)
            if known.resolved_at is not None:
                raise ConflictError(
                    f"{known.short_id} is already resolved",
                    remedy="add it again if the problem is back",
                )
            done = replace(known, resolved_at=unit.now, resolution=how)
            return LIMITATIONS.change(unit, known, done, "resolve")

        return self._access.change(resolve)

    def list(
        self,
        *,
        status: LimitationStatus | str = "open",
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Limitation]:
        """List limitations, newest first; open ones by default."""
        filters = {"status": choice(LimitationStatus, status, name="status", instead=NOT_DELETED)}
        return LIMITATIONS.page(
            self._access, lambda _: filters, deleted=deleted, limit=limit, cursor=cursor
        )

    def restore(self, id: str, *, reason: str | None = None) -> Limitation:
        """Restore a deleted limitation. Raise ConflictError if another with its title is open."""
        return LIMITATIONS.restore(self._access, id, reason, _check_no_other_is_open)


def _find_open(unit: Unit, scope: Scope, title: str) -> Limitation | None:
    """Return the open limitation of a title; case and spacing do not matter."""
    same = {"scope": unit.scope_id(scope), "fingerprint": fingerprint(title, None)}
    return next(iter(LIMITATIONS.select(unit, "find_open_limitation", same)), None)


def _check_no_other_is_open(unit: Unit, limitation: Limitation) -> None:
    """Raise ConflictError if another limitation of the same title is open."""
    other = _find_open(unit, limitation.scope, limitation.title)
    if limitation.resolved_at is None and other is not None:
        raise ConflictError(
            f"{other.short_id} of the same title is open",
            remedy="resolve or delete that limitation first",
        )
