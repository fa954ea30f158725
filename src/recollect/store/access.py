"""One viewer's way into the store: every collection reads and changes through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from recollect.model.scope import Viewer
from recollect.model.time import Moment
from recollect.ports import Clock, Engine, Session
from recollect.store.statements import load
from recollect.store.unit import Unit
from recollect.store.view import View

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Access:
    engine: Engine
    clock: Clock
    viewer: Viewer

    def seen_by(self, viewer: Viewer) -> Access:
        return replace(self, viewer=viewer)

    def ask(
        self,
        work: Callable[[View], Result],
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> Result:
        """Run a question on one snapshot."""
        place = {**self._seen(), "as_of": as_of, "known_at": known_at}
        sql = load(self.engine.dialect)
        return self.engine.read(lambda session: work(View(session, sql, **place)))

    def change(self, work: Callable[[Unit], Result]) -> Result:
        """Run a change in one transaction; when this returns, it is stored."""
        sql = load(self.engine.dialect)

        def transaction(session: Session) -> Result:
            unit = Unit(session, sql, **self._seen())
            result = work(unit)
            unit.finish()
            return result

        return self.engine.write(transaction)

    def _seen(self) -> dict[str, Any]:
        return {"space": self.engine.space, "viewer": self.viewer, "clock": self.clock}
