"""The collection of sessions that other programs keep, by channel and scope."""

from __future__ import annotations

import builtins

from erstwhile.conversations.conversation import CHANNEL, checked_channel
from erstwhile.conversations.external_session import MAX_SESSION_ID, ExternalSession
from erstwhile.core.ids import HIGHEST, new_id
from erstwhile.core.page import Page, PageRequest
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_id
from erstwhile.core.time import from_micros
from erstwhile.storage import erasure
from erstwhile.storage.collection import Collection
from erstwhile.storage.columns import to_scope
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_ALL = 2**31 - 1


class Sessions(Collection):
    """Ids of sessions elsewhere, so that an agent can go on where it was.

    A scope has one per channel, and takes none from a wider scope: a project never goes on in the
    session of another.
    """

    def set(self, session_id: str, *, channel: str = CHANNEL) -> ExternalSession:
        """Keep the id of a session; it takes the place of the one before."""
        wanted = checked_channel(channel)
        external = checked_id(session_id, name="session_id", limit=MAX_SESSION_ID)
        return self._access.change(lambda unit: _set(unit, wanted, external))

    def get(self, *, channel: str = CHANNEL) -> str | None:
        """The id that was kept for exactly this scope, if any."""
        wanted = checked_channel(channel)
        kept = self._access.ask(lambda view: _find(view, wanted))
        return None if kept is None else kept.session_id

    def clear(self, *, channel: str | None = None) -> int:
        """Forget the id of a channel, or those of all channels of exactly this scope; how many."""
        wanted = None if channel is None else checked_channel(channel)
        return self._access.change(lambda unit: _clear(unit, wanted))

    def erase(self, *, channel: str | None = None) -> Receipt:
        """Like `clear`, and destroy what the trail says of them. No undo."""
        wanted = None if channel is None else checked_channel(channel)
        receipt = self._access.change(lambda unit: _erase(unit, wanted))
        erasure.rewrite(self._access)
        return receipt

    def list(self, *, limit: int = 50, cursor: str | None = None) -> Page[ExternalSession]:
        """All that this memory sees, newest first."""
        return self._access.ask(lambda view: _listed(view, limit, cursor))


def _find(view: View, channel: str) -> ExternalSession | None:
    scope_for_new(view.viewer, "keep a session")
    found = view.rows("find_session", {"channel": channel}, "own")
    return _session(found[0]) if found else None


def _set(unit: Unit, channel: str, external: str) -> ExternalSession:
    scope = scope_for_new(unit.viewer, "keep a session")
    number, kept = unit.scope_id(scope), _find(unit, channel)
    new = ExternalSession(
        id=kept.id if kept else new_id(unit.now),
        scope=scope,
        channel=channel,
        session_id=external,
        set_at=unit.now,
    )
    row = {"id": new.id, "scope": number, "channel": channel, "external": external}
    unit.run("change_session" if kept else "add_session", {**row, "changed_at": unit.stamp})
    unit.record("session.set", new.id, scope, None, [number, channel, external])
    return new


def _clear(unit: Unit, channel: str | None) -> int:
    gone = _removed(unit, channel)
    for each in gone:
        unit.record("session.clear", each.id, each.scope, None)
    return len(gone)


def _erase(unit: Unit, channel: str | None) -> Receipt:
    gone = _removed(unit, channel)
    emptied = sum(erasure.forget(unit, each.id, each.scope) for each in gone)
    ids = tuple(each.id for each in gone)
    return Receipt(at=unit.now, ids=ids, sessions=len(ids), audit_entries=emptied)


def _removed(unit: Unit, channel: str | None) -> builtins.list[ExternalSession]:
    """The rows of a channel, or of all, of exactly this scope, which are there no longer."""
    unit.scope_id(scope_for_new(unit.viewer, "keep a session"))
    every = {"before": HIGHEST, "limit": _ALL}
    kept = [_session(row) for row in unit.rows("list_sessions", every, "own")]
    gone = [each for each in kept if channel in (None, each.channel)]
    for each in gone:
        unit.run("remove_session", {"id": each.id})
    return gone


def _listed(view: View, limit: int, cursor: str | None) -> Page[ExternalSession]:
    request = PageRequest(limit, cursor)
    rows = view.rows("list_sessions", request.params)
    return request.page([_session(row) for row in rows])


def _session(row: Row) -> ExternalSession:
    id, *dimensions, channel, external, changed_at = row
    return ExternalSession(
        id=id,
        scope=to_scope(*dimensions),
        channel=channel,
        session_id=external,
        set_at=from_micros(changed_at),
    )
