"""The audit trail as a collection: reading it, verifying it, and repairing its times."""

from __future__ import annotations

import re

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.ids import id_range
from erstwhile.core.page import NEWEST, Page, checked_limit, cut_page
from erstwhile.core.ports import Row
from erstwhile.core.text import checked_label
from erstwhile.core.time import ENDLESS, EPOCH, FOREVER, Moment, from_micros
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import Entry, Verification
from erstwhile.storage.audit_repair import TimeRepair, preview_repair, repair_time
from erstwhile.storage.audit_verification import verify
from erstwhile.storage.collection import Collection
from erstwhile.storage.columns import decodes, to_scope
from erstwhile.storage.view import View

_CURSOR = re.compile(r"(-?\d{1,18})\.(\d{1,18})\.([0-9a-f]{64})")


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
        before = _before(cursor)

        def listed(view: View) -> Page[Entry]:
            params = {
                "lowest": lowest,
                "highest": highest,
                "action": wanted_action,
                "since": view.parse(since, "since", default=EPOCH),
                "until": view.parse(until, "until", default=FOREVER),
                **before,
                "limit": size + 1,
            }
            rows = view.rows("list_entries", params, "all" if subject is None else "one")
            page = cut_page(rows, size, lambda row: f"{row[1]}.{row[0]}.{row[-1].hex()}")
            return Page(tuple(_entry(row) for row in page), page.next)

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


def _before(cursor: str | None) -> dict[str, int | bytes]:
    """Return the parameters for the entries after a cursor: its time, number and hash."""
    if cursor is None:
        return {"before_at": ENDLESS, "before_seq": NEWEST, "before_hash": b""}
    found = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if found is None:
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    at, seq, hashed = found.groups()
    return {"before_at": int(at), "before_seq": int(seq), "before_hash": bytes.fromhex(hashed)}


@decodes("audit entry")
def _entry(row: Row) -> Entry:
    number, at, *dimensions, actor, action, subject, reason, _hash = row
    return Entry(
        number=number,
        at=from_micros(at),
        scope=to_scope(*dimensions),
        actor=actor,
        action=action,
        subject=subject,
        reason=reason,
    )
