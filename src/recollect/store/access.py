"""One viewer's way into the store: every collection reads and changes through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from recollect.model.scope import Viewer
from recollect.model.time import Moment
from recollect.ports import Clock, Engine, Session
from recollect.store.statements import load
from recollect.store.unit import Unit
from recollect.store.view import Standpoint, View

Result = TypeVar("Result")


class Access:
    def __init__(self, engine: Engine, clock: Clock, viewer: Viewer) -> None:
        self.engine = engine
        self.clock = clock
        self.viewer = viewer
        self._standpoint = Standpoint(load(engine.dialect), engine.space, viewer, clock)

    def seen_by(self, viewer: Viewer) -> Access:
        return Access(self.engine, self.clock, viewer)

    def ask(
        self,
        work: Callable[[View], Result],
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> Result:
        """Run a question on one snapshot."""
        here = self._standpoint
        return self.engine.read(lambda session: work(View(session, here, as_of, known_at)))

    def change(self, work: Callable[[Unit], Result]) -> Result:
        """Run a change in one transaction; when this returns, it is stored."""

        def transaction(session: Session) -> Result:
            unit = Unit(session, self._standpoint)
            result = work(unit)
            unit.finish()
            return result

        return self.engine.write(transaction)
