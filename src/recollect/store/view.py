"""What a viewer sees: the visible scopes, at one moment on each of the two time axes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recollect.model.errors import InvalidInputError
from recollect.model.scope import Scope, Viewer
from recollect.model.time import FOREVER, Moment, from_micros, parse_moment, to_micros
from recollect.ports import Clock, Params, Row, Session
from recollect.store.statements import Statements


class View:
    """A snapshot of the store as one viewer sees it; `as_of` and `known_at` place it in time."""

    def __init__(
        self,
        session: Session,
        sql: Statements,
        *,
        space: str,
        viewer: Viewer,
        clock: Clock,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        self._session = session
        self._sql = sql
        self.space = space
        self.viewer = viewer
        self._params: dict[str, Any] = {"space": space, **scope_params(viewer.scope)}
        self._visible = "everything" if viewer.everything else "scoped"
        self.now = self._moment(clock.now(), session.rows(sql("last_change_at"), self._params))
        self._place(as_of, known_at)

    def rows(self, name: str, params: Params, *choices: str) -> list[Row]:
        """Run a statement as this viewer, at this place in time."""
        statement = self._sql(name, *choices, self._visible, self._time)
        return self._session.rows(statement, {**self._params, **params})

    def parse(self, moment: Moment | None, name: str, *, default: datetime) -> int:
        """A caller's time in its stored form."""
        parsed = default if moment is None else parse_moment(moment, now=self.now, name=name)
        return to_micros(parsed)

    def _moment(self, clock_says: datetime, last_change: list[Row]) -> datetime:
        """Now, and never before the newest change: a clock may have been set back."""
        return max(clock_says, from_micros(last_change[0][0])) if last_change else clock_says

    def _place(self, as_of: Moment | None, known_at: Moment | None) -> None:
        """Asked only "as known at", the world is looked at as of the same moment."""
        known = self.parse(known_at, "known_at", default=FOREVER)
        if known_at is not None and known > to_micros(self.now):
            raise InvalidInputError(
                "known_at lies in the future, and nobody knows yet what will be known then",
                remedy="leave it out, or use as_of to ask about the future",
            )
        world = self.now if known_at is None else from_micros(known)
        self.as_of = self.parse(as_of, "as_of", default=world)
        self._time = "current" if known_at is None else "past"
        self._params |= {"as_of": self.as_of, "known_at": known}


def scope_params(scope: Scope) -> dict[str, str]:
    """The dimensions as they are stored: what is shared is the empty text."""
    return {
        "user": scope.user or "",
        "agent": scope.agent or "",
        "project": scope.project or "",
        "session": scope.session or "",
    }
