"""A view: one snapshot for one viewer, at one moment on each of the two time axes.

To a server each question costs a round trip. A view sends what it can before it needs the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.scope import scope_params
from erstwhile.core.time import (
    DRIFT,
    ENDLESS,
    EPOCH,
    FOREVER,
    Moment,
    SystemClock,
    from_micros,
    parse_moment,
    to_micros,
)

if TYPE_CHECKING:
    from erstwhile.core.ports import Params, Row, Session
    from erstwhile.storage.access import Access


class ClockBehindError(Exception):
    """The store has a change that is newer than the clock. The question must be asked again."""


class View:
    """A snapshot of the store as one viewer sees it; `as_of` and `known_at` place it in time."""

    _step = 0
    """The least number of microseconds by which `now` is later than the newest change."""

    def __init__(
        self,
        session: Session,
        access: Access,
        asked_at: datetime | None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        *,
        check_clock_later: bool = False,
    ) -> None:
        self._session = session
        self._sql = access.sql
        self.viewer = access.viewer
        self.space = access.engine.space
        self._visible = "everything" if self.viewer.everything else "scoped"
        self._params: dict[str, Any] = {"space": self.space, **scope_params(self.viewer.scope)}
        self._sent: dict[str, tuple[Params, Callable[[], list[Row]]]] = {}
        self._unchecked: Callable[[], list[Row]] | None = None
        self._read_the_clock(access, asked_at, check_clock_later=check_clock_later)
        self._place(as_of, known_at)

    def rows(self, name: str, params: Params, *choices: str) -> list[Row]:
        """Run a statement for this viewer, at the times of the view."""
        sent, fetch = self._sent.pop(name, (None, None))
        if fetch is not None and sent == params:
            found = fetch()
        else:
            statement = self._sql[name, *choices, self._visible, self._time]
            found = self._session.rows(statement, {**self._params, **params})
        self.check_the_clock()
        return found

    def each(self, name: str, params: Params) -> Iterator[Row]:
        """Run a query for this viewer, and yield its rows without holding all of them."""
        self.check_the_clock()
        statement = self._sql[name, self._visible, self._time]
        return self._session.each(statement, {**self._params, **params})

    def prefetch(self, name: str, params: Params) -> None:
        """Send a query whose rows are asked for soon, with the same parameters."""
        statement = self._sql[name, self._visible, self._time]
        fetch = self._session.prefetch(statement, {**self._params, **params})
        self._sent[name] = (params, fetch)

    def check_the_clock(self) -> None:
        """Raise ClockBehindError if the store has a change that is newer than `now`."""
        unchecked, self._unchecked = self._unchecked, None
        found = unchecked() if unchecked else []
        if found and (found[0][0] or 0) > self.stamp:
            raise ClockBehindError

    @property
    def is_past(self) -> bool:
        """Whether the view shows an earlier state of our knowledge."""
        return self._time == "past"

    def parse(self, moment: Moment | None, name: str, *, default: datetime) -> int:
        """Return a caller's time in its stored form."""
        parsed = default if moment is None else parse_moment(moment, now=self.now, name=name)
        return to_micros(parsed)

    def period(self, since: Moment | None, until: Moment | None) -> dict[str, int]:
        """Return the filters `since` and `until` as parameters; None does not limit the period."""
        first = self.parse(since, "since", default=EPOCH)
        return {"since": first, "until": self.parse(until, "until", default=FOREVER)}

    def _read_the_clock(
        self, access: Access, asked_at: datetime | None, *, check_clock_later: bool
    ) -> None:
        """Set `now`. It is not before the newest change, even if the clock was set back a little.

        A query has the time of its request, before its snapshot was taken. A change reads the clock
        when it gets the write lock. A newest change that is far ahead was stamped by a wrong clock:
        queries do not follow it, and changes are refused. With `check_clock_later`, a query trusts
        the clock until its first rows come.
        """
        sent = self._session.prefetch(self._sql["last_change_at",], self._params)
        found = [] if check_clock_later else sent()
        self._unchecked = sent if check_clock_later else None
        self.now = asked_at or access.clock.now()
        self.stamp = to_micros(self.now)
        newest, server = found[0] if found else (None, None)
        if not isinstance(access.clock, SystemClock):
            server = None  # a clock of a test has its own time
        next_stamp = (newest or 0) + self._step
        is_ahead = next_stamp > max(self.stamp, server or 0) + DRIFT
        self._check_clock(server, newest if is_ahead else None)
        if next_stamp > self.stamp and not is_ahead:
            self.stamp = next_stamp
            self.now = from_micros(next_stamp)

    def _check_clock(self, server: int | None, ahead: int | None) -> None:
        """Check the clock before a change: with the server's, and with a change far ahead of it."""

    def _place(self, as_of: Moment | None, known_at: Moment | None) -> None:
        """Set both time axes. `known_at` alone also means the world as of that time."""
        known, self._time, self.as_of = ENDLESS, "current", self.stamp
        if known_at is not None:
            known = to_micros(parse_moment(known_at, now=self.now, name="known_at"))
            if known > self.stamp:
                raise InvalidInputError(
                    "known_at lies in the future",
                    remedy="leave it out, or use as_of to ask about the future",
                )
            self._time, self.as_of = "past", known
        if as_of is not None:
            self.as_of = to_micros(parse_moment(as_of, now=self.now, name="as_of"))
        self._params |= {"as_of": self.as_of, "known_at": known}
