"""The collection of external sessions: ids that other programs gave, by channel and scope."""

from __future__ import annotations

import builtins

from erstwhile.conversations.conversation import (
    CHANNEL,
    MAX_SESSION_ID,
    ExternalSession,
    checked_channel,
)
from erstwhile.core.ids import MAX_ID, new_id
from erstwhile.core.results import Page, PageRequest, Receipt
from erstwhile.core.text import checked_id
from erstwhile.storage import erasure
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import Collection, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_ALL = 2**31 - 1
_VERB = "keep a session"
_ALL_CHANNELS = "*"


class Sessions(Collection):
    """Session ids of other programs, so that an agent can continue where it stopped.

    A scope has one session per channel, and inherits none from a wider scope: a project never
    continues the session of another project.
    """

    def set(self, session_id: str, *, channel: str = CHANNEL) -> ExternalSession:
        """Store the id of a session; it replaces the previous one."""
        checked = checked_channel(channel)
        external = checked_id(session_id, name="session_id", limit=MAX_SESSION_ID)
        return self._access.change(lambda unit: _set_session(unit, checked, external))

    def get(self, *, channel: str = CHANNEL) -> str | None:
        """Return the session id of exactly this scope, or None."""
        checked = checked_channel(channel)
        session = self._access.ask(lambda view: _find_session(view, checked))
        return None if session is None else session.session_id

    def clear(self, *, channel: str | None = None) -> int:
        """Remove the id of a channel, or of all channels, in this scope; return the count."""
        checked = None if channel is None else checked_channel(channel)

        def clear(unit: Unit) -> int:
            sessions = _find_own(unit, checked)
            for session in sessions:
                unit.run("remove_session", {"id": session.id})
                unit.record("session.clear", session.id, session.scope, None)
            return len(sessions)

        return self._access.change(clear)

    def erase(self, *, channel: str | None = None) -> Receipt:
        """Destroy the session ids of a channel, or of all channels, with their audit entries."""
        checked = None if channel is None else checked_channel(channel)
        return erasure.erase(
            self._access,
            [checked or _ALL_CHANNELS],
            noun="session",
            find=lambda unit, _: _find_own(unit, checked),
            destroy=erasure.destroyer("sessions"),
            by_id=False,
        )

    def list(self, *, limit: int = 50, cursor: str | None = None) -> Page[ExternalSession]:
        """Return the visible sessions, newest first."""
        request = PageRequest(limit, cursor)
        rows = self._access.ask(lambda view: view.rows("list_sessions", request.params))
        return request.page([_to_session(row) for row in rows])


def _find_session(view: View, channel: str) -> ExternalSession | None:
    scope_for_new(view.viewer, _VERB)
    found = view.rows("find_session", {"channel": channel}, "own")
    return _to_session(found[0]) if found else None


def _set_session(unit: Unit, channel: str, external: str) -> ExternalSession:
    scope = scope_for_new(unit.viewer, _VERB)
    number, old = unit.scope_id(scope), _find_session(unit, channel)
    new = ExternalSession(
        id=old.id if old else new_id(unit.now),
        scope=scope,
        channel=channel,
        session_id=external,
        set_at=unit.now,
    )
    row = {"id": new.id, "scope": number, "channel": channel, "external": external}
    unit.run("change_session" if old else "add_session", {**row, "changed_at": unit.stamp})
    unit.record("session.set", new.id, scope, None, [channel, external])
    return new


def _find_own(unit: Unit, channel: str | None) -> builtins.list[ExternalSession]:
    """Lock the scope, and return its session of a channel, or its sessions of all channels."""
    unit.scope_id(scope_for_new(unit.viewer, _VERB))
    rows = unit.rows("list_sessions", {"before": MAX_ID, "limit": _ALL}, "own")
    return [each for each in map(_to_session, rows) if channel in (None, each.channel)]


_to_session = RowType(ExternalSession, "session").decode
