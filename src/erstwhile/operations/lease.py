"""The lease of maintenance: one process at a time works on a space.

Its token ends with the name of the process, so that others on its machine see when it is gone. A
process is named by the boot of its machine, its namespace of process ids, its id and the time of
its start. Only Linux has all of these. Elsewhere a process has no name, and nobody knows of its
end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from erstwhile.core.errors import BusyError
from erstwhile.core.time import to_micros
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

Result = TypeVar("Result")
_LASTS = timedelta(minutes=10)
"""Another process can take the lease after this time, if it cannot know that its holder ended."""
_MAX_PAUSE = 0.2
_ENDED_STATES = ("Z", "X")
"""A process that was killed stays in the list until its parent has asked for its exit code."""


class MaintenanceLease:
    """The lease, taken for the time of a `with` block."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._token = f"{token_hex(16)}:{process_name()}"

    def __enter__(self) -> MaintenanceLease:
        def take(unit: Unit) -> int:
            times = {"now": to_micros(unit.now), "until": to_micros(unit.now + _LASTS)}
            tokens = [token for _, token in unit.rows("maintenance_lease", {})]
            ended = next((each for each in tokens if has_ended(each.partition(":")[2])), None)
            return unit.run("take_maintenance", {"token": self._token, "ended": ended, **times})

        if not self._access.change(take):
            raise BusyError(
                "another process maintains this memory", remedy="try again when it has finished"
            )
        return self

    def __exit__(self, *_failure: object) -> None:
        def end(unit: Unit) -> int:
            return unit.run("end_maintenance", {"token": self._token, "now": to_micros(unit.now)})

        self._access.change(end)

    def step(self, work: Callable[[Unit], Result]) -> Result:
        """Run a change in its own transaction, then yield to other writers."""
        begun = time.monotonic()
        result = self._access.change(lambda unit: self._renewed(unit, work), alone=True)
        time.sleep(min(time.monotonic() - begun, _MAX_PAUSE))
        return result

    def renew(self) -> None:
        self.step(lambda _unit: None)

    def _renewed(self, unit: Unit, work: Callable[[Unit], Result]) -> Result:
        lease = {"token": self._token, "until": to_micros(unit.now + _LASTS)}
        if not unit.run("renew_maintenance", lease):
            raise BusyError(
                "this took so long that another process maintains the memory now",
                remedy="let one process do it",
            )
        return work(unit)


def process_name() -> str:
    """Return a unique name of this process; an empty text if the system has none."""
    try:
        _, start = _state_and_start(os.getpid())
        return f"{_machine()} {os.getpid()} {start}"
    except OSError:
        return ""


def has_ended(name: str) -> bool:
    """Return whether a process has ended. False if it cannot be known, as on another machine."""
    with suppress(OSError, ValueError):
        machine, id, start = name.split(" ")
        if machine == _machine():
            return not _is_running(int(id), start)
    return False


def _is_running(id: int, start: str) -> bool:
    try:
        os.kill(id, 0)  # /proc may hide the processes of other users
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    state, begun = _state_and_start(id)
    return state not in _ENDED_STATES and begun == start


def _machine() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"


def _state_and_start(id: int) -> tuple[str, str]:
    """Read fields 3 and 22 of a process. The second field is a name in brackets, of any letters."""
    fields = Path(f"/proc/{id}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return fields[0], fields[19]
