"""The audit trail as a collection: reading it, verifying it, and repairing its times."""

from __future__ import annotations

from erstwhile.core.errors import ScopeError
from erstwhile.core.ids import id_range
from erstwhile.core.page import NEWEST, Page, checked_limit, checked_number, cut_page
from erstwhile.core.ports import Row
from erstwhile.core.text import checked_label
from erstwhile.core.time import EPOCH, FOREVER, Moment, from_micros
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import Entry, Verification
from erstwhile.storage.audit_repair import TimeRepair, preview_repair, repair_time
from erstwhile.storage.audit_verification import verify
from erstwhile.storage.collection import Collection
from erstwhile.storage.columns import decodes, to_scope
from erstwhile.storage.view import View


class Audit(Collection):
    """The changes in the visible scopes: who changed which record, when and why."""

    def list(
        self,
        *,
        subject: str | None = None,
        action: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Entry]:
        """Return a page of entries, newest first. `subject` is a record id or its beginning."""
        size = checked_limit(limit)
        lowest, highest = (None, None) if subject is None else id_range(subject)
        wanted_action = None if action is None else checked_label(action, name="action")
        before = NEWEST if cursor is None else checked_number(cursor)

        def listed(view: View) -> Page[Entry]:
            params = {
                "lowest": lowest,
                "highest": highest,
                "action": wanted_action,
                "since": view.parse(since, "since", default=EPOCH),
                "until": view.parse(until, "until", default=FOREVER),
                "before": before,
                "limit": size + 1,
            }
            rows = view.rows("list_entries", params, "all" if subject is None else "one")
            return cut_page([_entry(row) for row in rows], size, lambda entry: str(entry.number))

        return self._access.ask(listed)

    def verify(self) -> Verification:
        """Check each visible chain of hashes, and compare all stored states with its digests."""
        return verify_trail(self._access)

    def repair_time(self, *, preview: bool = False) -> TimeRepair:
        """Move the times of changes that lie in the future, after a clock was wrong.

        It is about the whole space, so it needs `memory.everything()`. Set the clock right first.
        """
        if not self._access.viewer.everything:
            raise ScopeError(
                "this changes the times of every scope", remedy="use memory.everything()"
            )
        if preview:
            return self._access.ask(preview_repair)
        return self._access.change(repair_time, alone=True, repairing=True)


def verify_trail(access: Access) -> Verification:
    """Check the chains of hashes that a viewer sees."""
    return access.ask(verify)


@decodes("audit entry")
def _entry(row: Row) -> Entry:
    number, at, *dimensions, actor, action, subject, reason = row
    return Entry(
        number=number,
        at=from_micros(at),
        scope=to_scope(*dimensions),
        actor=actor,
        action=action,
        subject=subject,
        reason=reason,
    )
