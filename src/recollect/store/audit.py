"""The audit trail as a collection: reading it, and checking that nobody changed it."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.audit import Entry, Verification, digest, genesis, link
from recollect.model.errors import InvalidInputError
from recollect.model.ids import id_range
from recollect.model.page import Page, checked_limit
from recollect.model.text import checked_label
from recollect.model.time import EPOCH, FOREVER, Moment, from_micros
from recollect.ports import Row
from recollect.store import decision_table
from recollect.store.access import Access
from recollect.store.fact_rows import to_scope
from recollect.store.view import View

_BATCH = 1_000
NEWEST = 2**62
_STATES = {"fact": "stored_states", "block": "stored_blocks"}
"""The statements that give every state of each kind of record."""


class Audit:
    """Who changed what, when and why, in the scopes that this memory sees."""

    def __init__(self, access: Access) -> None:
        self._access = access

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
        """Entries, newest first; `subject` is the id, or its beginning, of what was changed."""
        wanted = checked_limit(limit)
        lowest, highest = (None, None) if subject is None else id_range(subject)
        wanted_action = None if action is None else checked_label(action, name="action")
        before = NEWEST if cursor is None else cursor_number(cursor)

        def listed(view: View) -> Page[Entry]:
            params = {
                "lowest": lowest,
                "highest": highest,
                "action": wanted_action,
                "since": view.parse(since, "since", default=EPOCH),
                "until": view.parse(until, "until", default=FOREVER),
                "before": before,
                "limit": wanted + 1,
            }
            rows = view.rows("list_entries", params, "all" if subject is None else "one")
            page = tuple(_entry(row) for row in rows[:wanted])
            return Page(page, str(page[-1].number) if len(rows) > wanted else None)

        return self._access.ask(listed)

    def verify(self) -> Verification:
        """Check each visible chain link by link, and each stored fact against what it says."""
        return self._access.ask(_verify)


def cursor_number(cursor: str) -> int:
    digits = isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()
    if not digits or len(cursor) > 18:
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return int(cursor)


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


def _verify(view: View) -> Verification:
    entries = records = 0
    problems: list[str] = []
    for scope, head_seq, head_hash, *dimensions in view.rows("visible_chains", {}):
        told: dict[tuple[str, int], Row] = {}
        last = (0, genesis(to_scope(*dimensions)), 0)
        for entry in _chain(view, scope):
            last = _follow(last, entry, problems)
            told[entry[4], entry[1]] = entry
            entries += 1
        if last[:2] != (head_seq, head_hash):
            problems.append(f"the trail of scope {scope} was cut or extended at its end")
        for kind, stored in _STATES.items():
            records += _compare(kind, view.rows(stored, {"scope": scope}), told, problems)
        decisions, found = decision_table.check(view, scope, told)
        records += decisions
        problems += found
    return Verification(entries=entries, records=records, problems=tuple(dict.fromkeys(problems)))


def _chain(view: View, scope: int) -> Iterator[Row]:
    after = 0
    while rows := view.rows("read_chain", {"scope": scope, "after": after, "limit": _BATCH}):
        yield from rows
        after = rows[-1][0]


def _follow(
    last: tuple[int, bytes, int], entry: Row, problems: list[str]
) -> tuple[int, bytes, int]:
    seq, at, actor, action, subject, _reason, _nonce, content, hashed, number = entry
    if seq != last[0] + 1:
        problems.append(f"entries before number {seq} of {subject} are missing")
    if number <= last[2]:
        problems.append(f"entry {seq} ({action} {subject}) was moved")
    if hashed != link(last[1], content, (seq, at, actor, action, subject)):
        problems.append(f"entry {seq} ({action} {subject}) was altered")
    return seq, hashed, number


def _compare(
    kind: str, stored: list[Row], told: dict[tuple[str, int], Row], problems: list[str]
) -> int:
    """Each stored state must be the one that an entry digested, and each such entry have one."""
    erased = {subject for (subject, _), entry in told.items() if entry[3] == "erase"}
    unmet = {place for place, entry in told.items() if _describes(kind, entry, erased)}
    follows: Row = ()
    for id, known_from, known_to, *state in stored:
        if follows[:1] == (id,) and follows != (id, known_from):
            problems.append(f"{kind} {id} has a gap in its history")
        follows = (id, known_to)
        unmet.discard((id, known_from))
        entry = told.get((id, known_from))
        if entry is None:
            problems.append(f"{kind} {id} has a state that no entry tells of")
        elif entry[6] is None or digest(entry[6], entry[5], state) != entry[7]:
            problems.append(f"{kind} {id} was changed behind the trail")
    problems += [f"a state of {kind} {id} has disappeared" for id, _ in sorted(unmet)]
    return len(stored)


def _describes(kind: str, entry: Row, erased: set[str]) -> bool:
    """Whether it is about a state of this kind of record; that of facts is not said."""
    about, dot, _ = entry[3].partition(".")
    if not dot:
        about = "other" if about in ("alias", "unalias", "erase") else "fact"
    return about == kind and entry[4] not in erased
