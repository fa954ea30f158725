"""One viewer's way into the store: every collection reads and changes through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from erstwhile.core.ports import Analyser, Clock, Engine, Session
from erstwhile.core.scope import Viewer
from erstwhile.core.time import Moment
from erstwhile.storage.statements import load
from erstwhile.storage.view import Standpoint, View

if TYPE_CHECKING:
    from erstwhile.storage.unit import Unit

Result = TypeVar("Result")


class Access:
    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        viewer: Viewer,
        terms: Analyser,
        after_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.viewer = viewer
        self._terms = terms
        self._after_change = after_change
        sql = load(engine.dialect)
        self._standpoint = Standpoint(sql, engine.space, viewer, clock, terms)

    def seen_by(self, viewer: Viewer) -> Access:
        return Access(self.engine, self.clock, viewer, self._terms, self._after_change)

    def announcing(self, after_change: Callable[[], None]) -> Access:
        """The same, telling someone after each change."""
        return Access(self.engine, self.clock, self.viewer, self._terms, after_change)

    def at(self, view: View) -> Access:
        """The same, answering questions about the present on a snapshot that is there already."""
        return _Snapshot(view, self.engine, self.clock, self.viewer, self._terms)

    def offers(self, name: str) -> bool:
        """Whether the engine has a statement of this name: not every one is for all engines."""
        return name in self._standpoint.sql.names

    def ask(
        self,
        work: Callable[[View], Result],
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> Result:
        """Run a question on one snapshot."""
        here, now = self._standpoint, self.clock.now()
        return self.engine.read(
            lambda session: work(View(session, here, now, as_of, known_at)),
            settled=known_at is not None,
        )

    def change(self, work: Callable[[Unit], Result], *, alone: bool = False) -> Result:
        """Run a change in one transaction; when this returns, it is stored.

        Nobody else changes the same scope meanwhile, and nobody anything if it must be `alone`. An
        administrator's change, which may be about any scope, always is.
        """

        # Loaded here: who only looks, as the hook does, changes nothing.
        from erstwhile.storage.unit import Unit

        def transaction(session: Session) -> Result:
            unit = Unit(session, self._standpoint, alone=alone)
            result = work(unit)
            unit.finish()
            return result

        result = self.engine.write(transaction)
        self._after_change()
        return result


class _Snapshot(Access):
    """What several collections are asked through, so that they tell of one moment."""

    def __init__(
        self, view: View, engine: Engine, clock: Clock, viewer: Viewer, terms: Analyser
    ) -> None:
        super().__init__(engine, clock, viewer, terms)
        self._view = view

    def ask(
        self,
        work: Callable[[View], Result],
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> Result:
        if as_of is None and known_at is None:
            return work(self._view)
        return super().ask(work, as_of, known_at)
