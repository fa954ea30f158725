"""The audit trail as a collection: reading it, verifying it, and repairing its times."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from erstwhile.core.errors import CorruptError, InvalidInputError, ScopeError
from erstwhile.core.ids import id_range
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import NEWEST, Page, checked_limit, cut_page
from erstwhile.core.scope import to_scope
from erstwhile.core.text import checked_label
from erstwhile.core.time import DRIFT, ENDLESS, Moment, from_micros
from erstwhile.storage.audit_chain import (
    RECORDED,
    Entry,
    Verification,
    digest,
    find_seal,
    genesis,
    link,
    noun_of,
    read_chain,
    verify,
)
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import Collection
from erstwhile.storage.statements import Statements, load

if TYPE_CHECKING:
    from erstwhile.core.ports import Row
    from erstwhile.storage.unit import Unit
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
        lowest = highest = None
        if subject is not None:
            lowest, highest = id_range(checked_label(subject, name="subject"))
        wanted_action = None if action is None else checked_label(action, name="action")
        before = _before(cursor)

        def listed(view: View) -> Page[Entry]:
            params = {
                "lowest": lowest,
                "highest": highest,
                "action": wanted_action,
                **view.period(since, until),
                **before,
                "limit": size + 1,
            }
            rows = view.rows("list_entries", params, "all" if subject is None else "one")
            page = cut_page(rows, size, lambda row: f"{row[1]}.{row[0]}.{row[-1].hex()}")
            return Page(tuple(_ENTRY.decode(row[:-1]) for row in page), page.next)

        return self._access.ask(listed)

    def verify(self) -> Verification:
        """Check each visible chain of hashes, and compare all stored states with its digests."""
        return self._access.ask(verify)

    def repair_time(self, *, preview: bool = False) -> TimeRepair:
        """Correct the times of changes that are in the future because a clock was wrong.

        This concerns the whole space, so it needs `memory.everything()`. Set the clock right first.
        """
        if not self._access.viewer.everything:
            raise ScopeError(
                "this changes the times of every scope", remedy="use memory.everything()"
            )
        if preview:
            return self._access.ask(preview_repair)
        return self._access.change(repair_time, alone=True, repairing=True)


def _before(cursor: str | None) -> dict[str, int | bytes]:
    """Return the parameters for the entries after a cursor: its time, number and hash."""
    if cursor is None:
        return {"before_at": ENDLESS, "before_seq": NEWEST, "before_hash": b""}
    found = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if found is None:
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    at, seq, hashed = found.groups()
    return {"before_at": int(at), "before_seq": int(seq), "before_hash": bytes.fromhex(hashed)}


_ENTRY = RowType(Entry, "audit entry")
_DAY = 86_400_000_000


@public_record
class TimeRepair(PublicRecord):
    """The changes whose times lay in the future, and the time of their repair."""

    entries: int
    """The number of audit entries with such a time."""
    first: datetime | None = None
    last: datetime | None = None
    at: datetime | None = None
    """None for a preview, or if there was nothing to repair."""


def preview_repair(view: View) -> TimeRepair:
    """Return what a repair would move."""
    first, _, count, newest = _beyond(view)
    if first is None:
        return TimeRepair(entries=0)
    return TimeRepair(entries=count, first=from_micros(first), last=from_micros(newest))


def repair_time(unit: Unit) -> TimeRepair:
    """Move all times that lie in the future, so that none does."""
    found = preview_repair(unit)
    if not found.entries:
        return found
    if problems := verify(unit).problems:
        raise CorruptError(
            f"the audit trail has problems, the first one: {problems[0]}",
            remedy="see `audit.verify`; restore a copy",
        )
    while (beyond := _beyond(unit))[0] is not None:
        _move(unit, *beyond)
    unit.continue_after(beyond[3])
    for number, _, _, *dimensions in unit.rows("visible_chains", {}):
        scope = to_scope(*dimensions)
        if _rewrite_chain(unit, number, genesis(scope)):
            unit.record("time.repair", "time", scope, f"{found.entries} times lay in the future")
    return TimeRepair(entries=found.entries, first=found.first, last=found.last, at=unit.now)


def _beyond(view: View) -> Row:
    """Return the first change in the future, the last one before it, their number, the newest."""
    return view.rows("first_beyond", {"limit": view.stamp + DRIFT})[0]


def _move(unit: Unit, first: int, before: int | None, _count: int, newest: int) -> None:
    """Move the times since the first one in the future back: up to now, but after all others."""
    gap = first - (unit.stamp if before is None else before) - 1
    times = {"first": first, "shift": min(newest - unit.stamp, gap), "endless": ENDLESS}
    for statement in moves():
        unit.run_text(statement, times)
    unit.run("move_fact_uses", {"day": unit.stamp // _DAY})


def _rewrite_chain(unit: Unit, scope: int, before: bytes) -> bool:
    """Make the hashes of a chain anew; return whether one of them changed."""
    states = {
        (kind.noun, id, known_from): state
        for kind in RECORDED
        for id, known_from, _, *state in unit.rows(kind.statement, {"scope": scope})
    }
    rewritten, seq, seal = False, 0, find_seal(unit, scope)
    for entry in read_chain(unit, scope):
        seq, at, actor, action, subject, reason, nonce, content, hashed, *_ = entry
        if seal.covers(entry):  # sealed entries are old, and none of their times lay in the future
            before = hashed
            continue
        state = states.get((noun_of(action), subject, at))
        if state is not None and nonce is not None:
            content = digest(nonce, reason, state)
        before = link(before, content, (seq, at, actor, action, subject))
        if before != hashed:
            changed = {"scope": scope, "seq": seq, "digest": content, "hash": before}
            unit.run("rewrite_entry", changed)
            rewritten = True
    if rewritten:
        unit.run("move_head", {"id": scope, "head_seq": seq, "head_hash": before})
    return rewritten


_TRUTHS = ("valid_from", "valid_to", "expires_at")
"""The columns that hold a time of the world, which a fact states."""


@cache
def moves() -> tuple[str, ...]:
    """Return the statements that move the times of all tables, for every engine."""
    folder = Path(__file__).parent / "moves"
    sql, lines = load("shared", folder), (folder / "columns.txt").read_text("utf-8").splitlines()
    return tuple(_move_statement(sql, *line.split()) for line in lines if line[:1] != "#")


def _move_statement(sql: Statements, table: str, written: str, *others: str) -> str:
    changes = [
        sql.filled({"table": table, "column": column})["truth" if column in _TRUTHS else "stamp",]
        for column in (written, *others)
    ]
    return sql.filled({"table": table, "written": written, "changes": ", ".join(changes)})["move",]
