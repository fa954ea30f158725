"""Names of processes, so that one process can tell that another has ended.

A process is named by the boot of its machine, its namespace of process ids, its id and the time of
its start. Only Linux tells all of these. Elsewhere a process has no name, and nobody knows of its
end.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_ENDED_STATES = ("Z", "X")
"""A process that was killed stays in the list until its parent has asked for its exit code."""


def process_name() -> str:
    """Return a name that no other process has; an empty text if the system tells too little."""
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
