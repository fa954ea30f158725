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
from erstwhile.storage import columns
from erstwhile.storage.collection import Collection
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.table import RecordTable, new_head
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
            return LIMITATIONS.change(unit, known, again, "report")

        return self._access.change(reported)

    def resolve(self, id: str, *, resolution: str | None = None) -> Limitation:
        """Say that it holds no longer, and how that came about."""
        how = _text(resolution, "resolution")

        def resolved(unit: Unit) -> Limitation:
            known = LIMITATIONS.find_own(unit, id)
            if known.resolved_at is not None:
                raise ConflictError(
                    f"{known.short_id} was resolved already", remedy="report it again if it is back"
                )
            done = replace(known, resolved_at=unit.now, resolution=how)
            return LIMITATIONS.change(unit, known, done, "resolve")

        return self._access.change(resolved)

    def get(self, id: str) -> Limitation:
        """One limitation by its id."""
        return LIMITATIONS.get(self._access, id)

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
        return LIMITATIONS.page(
            self._access, lambda _: wanted, deleted=deleted, limit=limit, cursor=cursor
        )

    def delete(self, id: str, *, reason: str | None = None) -> Limitation:
        """Hide a limitation from every answer, until it is restored or purged."""
        return LIMITATIONS.delete(self._access, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Limitation:
        """Bring a deleted limitation back. Refused while another of its title is open."""
        return LIMITATIONS.restore(self._access, id, reason, _check_room)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase what was deleted longer ago than this, in exactly this scope."""
        return LIMITATIONS.purge(self._access, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy limitations, down to their bytes in the file. There is no undo."""
        return LIMITATIONS.erase(self._access, ids)


class LimitationTable(RecordTable[Limitation]):
    """The table of limitations."""

    noun = "limitation"
    name = "limitations"
    adding = "add_limitation"
    changing = "change_limitation"

    def fields(self, item: Limitation) -> dict[str, Any]:
        return {
            "title": item.title,
            "description": item.description,
            "plan": item.plan,
            "reports": item.reports,
            "reported_at": to_micros(item.reported_at),
            "resolved_at": columns.micros(item.resolved_at),
            "resolution": item.resolution,
        }

    def derived(self, item: Limitation) -> dict[str, Any]:
        return {"fingerprint": fingerprint(item.title, None)}

    def build(self, row: Row, head: dict[str, Any]) -> Limitation:
        title, description, plan, reports, reported_at, resolved_at, resolution = row
        return Limitation(
            title=title,
            description=description,
            plan=plan,
            reports=reports,
            reported_at=from_micros(reported_at),
            resolved_at=columns.moment(resolved_at),
            resolution=resolution,
            **head,
        )


LIMITATIONS = LimitationTable()


def _text(text: str | None, name: str) -> str | None:
    return None if text is None else checked_text(text, name=name, limit=MAX_DESCRIPTION)


def _find_open(unit: Unit, scope: Scope, title: str) -> Limitation | None:
    """Letter case, spacing and Unicode form of the title make no difference."""
    same = {"scope": unit.scope_id(scope), "fingerprint": fingerprint(title, None)}
    return next(iter(LIMITATIONS.select(unit, "find_open_limitation", same)), None)


def _open(unit: Unit, title: str, description: str | None, plan: str | None) -> Limitation:
    new = Limitation(
        title=title,
        description=description,
        plan=plan,
        reports=1,
        reported_at=unit.now,
        resolved_at=None,
        resolution=None,
        **new_head(unit),
    )
    return LIMITATIONS.add(unit, new, "report")


def _check_room(unit: Unit, limitation: Limitation) -> None:
    rival = _find_open(unit, limitation.scope, limitation.title)
    if limitation.resolved_at is None and rival is not None:
        raise ConflictError(
            f"{rival.short_id} of the same title is open", remedy="resolve or delete that one first"
        )
