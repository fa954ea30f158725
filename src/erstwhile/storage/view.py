"""What a viewer sees: the visible scopes, at one moment on each of the two time axes."""

from __future__ import annotations

from datetime import datetime

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Analyser, Clock, Params, Row, Session
from erstwhile.core.scope import Scope, Viewer
from erstwhile.core.time import ENDLESS, Moment, from_micros, parse_moment, to_micros
from erstwhile.storage.statements import Statements


class Standpoint:
    """What all views of one viewer have in common."""

    def __init__(
        self, sql: Statements, space: str, viewer: Viewer, clock: Clock, terms: Analyser
    ) -> None:
        self.sql = sql
        self.terms = terms
        self.space = space
        self.viewer = viewer
        self.clock = clock
        self.visible = "everything" if viewer.everything else "scoped"
        self.params = {"space": space, **scope_params(viewer.scope)}


class View:
    """A snapshot of the store as one viewer sees it; `as_of` and `known_at` place it in time."""

    _step = 0
    """By how many microseconds `now` is later than the newest change, at the least."""

    def __init__(
        self,
        session: Session,
        standpoint: Standpoint,
        asked_at: datetime | None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        self._session = session
        self._sql = standpoint.sql
        self._visible = standpoint.visible
        self.space = standpoint.space
        self.viewer = standpoint.viewer
        self._read_the_clock(standpoint, asked_at)
        self._place(standpoint.params, as_of, known_at)

    def rows(self, name: str, params: Params, *choices: str) -> list[Row]:
        """Run a statement as this viewer, at this place in time."""
        statement = self._sql[name, *choices, self._visible, self._time]
        return self._session.rows(statement, {**self._params, **params})

    @property
    def is_past(self) -> bool:
        """Whether an earlier state of our knowledge is looked at."""
        return self._time == "past"

    def parse(self, moment: Moment | None, name: str, *, default: datetime) -> int:
        """A caller's time in its stored form."""
        parsed = default if moment is None else parse_moment(moment, now=self.now, name=name)
        return to_micros(parsed)

    def _read_the_clock(self, standpoint: Standpoint, asked_at: datetime | None) -> None:
        """Now, and never before the newest change: a clock may have been set back.

        A question has the moment at which it was asked, before its view was taken. A change reads
        the clock when it is its turn.
        """
        newest = self._session.rows(self._sql["last_change_at",], standpoint.params)
        self.now = asked_at or standpoint.clock.now()
        self.stamp = to_micros(self.now)
        if newest and newest[0][0] + self._step > self.stamp:
            self.stamp = newest[0][0] + self._step
            self.now = from_micros(self.stamp)

    def _place(self, seen: Params, as_of: Moment | None, known_at: Moment | None) -> None:
        """Asked only "as known at", the world is looked at as of the same moment."""
        known, self._time, self.as_of = ENDLESS, "current", self.stamp
        if known_at is not None:
            known, self._time = self._known(known_at), "past"
            self.as_of = known
        if as_of is not None:
            self.as_of = to_micros(parse_moment(as_of, now=self.now, name="as_of"))
        self._params = {**seen, "as_of": self.as_of, "known_at": known}

    def _known(self, known_at: Moment) -> int:
        known = to_micros(parse_moment(known_at, now=self.now, name="known_at"))
        if known > self.stamp:
            raise InvalidInputError(
                "known_at lies in the future, and nobody knows yet what will be known then",
                remedy="leave it out, or use as_of to ask about the future",
            )
        return known


def scope_params(scope: Scope) -> dict[str, str]:
    """The dimensions as they are stored: what is shared is the empty text."""
    return {
        "user": scope.user or "",
        "agent": scope.agent or "",
        "project": scope.project or "",
        "session": scope.session or "",
    }
