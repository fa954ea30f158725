"""The lease of maintenance: one process at a time maintains a space, in short transactions."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from secrets import token_hex
from typing import TypeVar

from erstwhile.core.errors import BusyError
from erstwhile.core.time import to_micros
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

Result = TypeVar("Result")
_LASTS = timedelta(minutes=10)
"""If a process ends without giving it back, another one can take it after this time."""
_LONGEST_PAUSE = 0.2


class MaintenanceLease:
    """The lease, and the transactions that are made under it."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._token = token_hex(16)

    def __enter__(self) -> MaintenanceLease:
        if not self._access.change(self._take):
            raise BusyError(
                "another process maintains this memory", remedy="try again when it has finished"
            )
        return self

    def __exit__(self, *_failure: object) -> None:
        end = {"token": self._token}
        self._access.change(
            lambda unit: unit.run("end_maintenance", {**end, "now": to_micros(unit.now)})
        )

    def step(self, work: Callable[[Unit], Result]) -> Result:
        """Run a change in its own transaction, then let other writers have their turn."""
        begun = time.monotonic()
        result = self._access.change(lambda unit: self._renewed(unit, work), alone=True)
        time.sleep(min(time.monotonic() - begun, _LONGEST_PAUSE))
        return result

    def renew(self) -> None:
        self.step(lambda _unit: None)

    def _take(self, unit: Unit) -> int:
        now = unit.now
        times = {"now": to_micros(now), "until": to_micros(now + _LASTS)}
        return unit.run("take_maintenance", {"token": self._token, **times})

    def _renewed(self, unit: Unit, work: Callable[[Unit], Result]) -> Result:
        lease = {"token": self._token, "until": to_micros(unit.now + _LASTS)}
        if not unit.run("renew_maintenance", lease):
            raise BusyError(
                "this took so long that another process maintains the memory now",
                remedy="let one process do it",
            )
        return work(unit)
