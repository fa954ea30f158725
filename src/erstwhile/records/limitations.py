"""The collection of limitations: what the agent cannot do yet."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from erstwhile.core.errors import ConflictError
from erstwhile.core.kinds import choice
from erstwhile.core.page import Page
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_label, checked_text, fingerprint
from erstwhile.core.time import Moment, from_micros, to_micros
from erstwhile.records.limitation import (
    MAX_DESCRIPTION,
    MAX_LIMITATION_TITLE,
    Limitation,
    LimitationStatus,
)
from erstwhile.storage import columns, record_erasure, record_table
from erstwhile.storage.collection import Collection
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.record_table import Table
from erstwhile.storage.unit import Unit


class Limitations(Collection):
    """What was reported as not possible, open or resolved."""

    def report(
        self, title: str, *, description: str | None = None, plan: str | None = None
    ) -> Limitation:
        """Say that something cannot be done. An open one of the same title is counted again.

        Then its description and plan are kept as they are, and filled in where there was none.
        One that was resolved stays so, and a new one is opened.
        """
        named = checked_label(title, name="title", limit=MAX_LIMITATION_TITLE)
        what, how = _text(description, "description"), _text(plan, "plan")

        def reported(unit: Unit) -> Limitation:
            known = _find_open(unit, scope_for_new(unit.viewer, "record"), named)
            if known is None:
                return _open(unit, named, what, how)
            again = replace(
                known,
                reports=known.reports + 1,
                reported_at=unit.now,
                description=known.description or what,
                plan=known.plan or how,
            )
            return record_table.change(unit, _TABLE, known, again, "report")

        return self._access.change(reported)

    def resolve(self, id: str, *, resolution: str | None = None) -> Limitation:
        """Say that it holds no longer, and how that came about."""
        how = _text(resolution, "resolution")

        def resolved(unit: Unit) -> Limitation:
            known = record_table.find_own(unit, _TABLE, id)
            if known.resolved_at is not None:
                raise ConflictError(
                    f"{known.short_id} was resolved already", remedy="report it again if it is back"
                )
            done = replace(known, resolved_at=unit.now, resolution=how)
            return record_table.change(unit, _TABLE, known, done, "resolve")

        return self._access.change(resolved)

    def get(self, id: str) -> Limitation:
        """One limitation by its id."""
        return record_table.get(self._access, _TABLE, id)

    def list(
        self,
        *,
        status: LimitationStatus | str = "open",
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Limitation]:
        """Limitations, the newest first; open ones unless said."""
        wanted = {"status": choice(LimitationStatus, status, name="status")}
        return record_table.listed(
            self._access, _TABLE, lambda _: wanted, deleted=deleted, limit=limit, cursor=cursor
        )

    def delete(self, id: str, *, reason: str | None = None) -> Limitation:
        """Hide a limitation from every answer, until it is restored or purged."""
        return record_table.delete(self._access, _TABLE, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Limitation:
        """Bring a deleted limitation back. Refused while another of its title is open."""
        return record_table.restore(self._access, _TABLE, id, reason, _check_room)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase what was deleted longer ago than this, in exactly this scope."""
        return record_erasure.purge(self._access, _TABLE, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy limitations, down to their bytes in the file. There is no undo."""
        return record_erasure.erase(self._access, _TABLE, ids)


def _read(row: Row, head: dict[str, Any]) -> Limitation:
    return Limitation(
        title=row[0],
        description=row[1],
        plan=row[2],
        reports=row[3],
        reported_at=from_micros(row[4]),
        resolved_at=columns.moment(row[5]),
        resolution=row[6],
        **head,
    )


_TABLE: Table[Limitation] = Table(
    noun="limitation",
    name="limitations",
    adding="add_limitation",
    changing="change_limitation",
    fields=lambda item: {
        "title": item.title, "description": item.description, "plan": item.plan,
        "reports": item.reports, "reported_at": to_micros(item.reported_at),
        "resolved_at": columns.micros(item.resolved_at),
        "resolution": item.resolution,
    },
    derived=lambda item: {"fingerprint": fingerprint(item.title, None)},
    read=_read,
)  # fmt: skip


def _text(text: str | None, name: str) -> str | None:
    return None if text is None else checked_text(text, name=name, limit=MAX_DESCRIPTION)


def _find_open(unit: Unit, scope: Scope, title: str) -> Limitation | None:
    """Letter case, spacing and Unicode form of the title make no difference."""
    same = {"scope": unit.scope_id(scope), "fingerprint": fingerprint(title, None)}
    rows = unit.rows("find_open_limitation", same)
    return _TABLE.to_item(rows[0]) if rows else None


def _open(unit: Unit, title: str, description: str | None, plan: str | None) -> Limitation:
    new = Limitation(
        title=title,
        description=description,
        plan=plan,
        reports=1,
        reported_at=unit.now,
        resolved_at=None,
        resolution=None,
        **record_table.new_head(unit),
    )
    return record_table.add(unit, _TABLE, new, "report")


def _check_room(unit: Unit, limitation: Limitation) -> None:
    rival = _find_open(unit, limitation.scope, limitation.title)
    if limitation.resolved_at is None and rival is not None:
        raise ConflictError(
            f"{rival.short_id} of the same title is open", remedy="resolve or delete that one first"
        )
