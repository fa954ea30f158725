"""I/O errors at each operation, and a full disk.

Each time one call to the file system fails, and all others work. A failed change must raise an
error of ours and change nothing, and the next one must work, in the same process and after it.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import apsw

import erstwhile
from tests.reliability.memory_file import Outcome, digest, opened, problems, scratch, steps
from tests.reliability.recorded_disk import RecordingVfs

CODES = {
    "open": apsw.SQLITE_CANTOPEN,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "full": apsw.SQLITE_FULL,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "delete": apsw.SQLITE_IOERR_DELETE,
}
_CHANGES = 9
"""The changes of one life. They have no erasure, which is done in several steps."""
_MORE = 64 * 1024


class _Fault:
    """An error at the n-th call of an operation."""

    def __init__(self, kind: str, place: int) -> None:
        self._kind = "write" if kind == "full" else kind
        self._code, self.left = CODES[kind], place

    def __call__(self, operation: str) -> None:
        if operation != self._kind:
            return
        self.left -= 1
        if not self.left:
            raise apsw.exception_for(self._code)


def run(kind: str, *, stride: int = 1, seed: int = 1) -> Outcome:
    """Let an operation fail at each place of a life in turn, or at each `stride`-th one."""
    result, vfs = Outcome(), RecordingVfs()
    try:
        with scratch() as folder:
            begun = folder / "begun.db"
            with opened(begun) as memory:
                for change in islice(steps(memory, Random(seed)), _CHANGES):
                    change()
            place = 1
            while _fails_at(vfs, begun, kind, place, result):
                place += stride
    finally:
        vfs.before = len
        vfs.unregister()
    return result


def run_full_disk(*, rounds: int) -> Outcome:
    """Limit the size of files, so that the system itself refuses to write, at many sizes."""
    result, old = Outcome(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with scratch() as folder, opened(folder / "memory.db") as memory:
            for number in range(rounds):
                largest = max(each.stat().st_size for each in folder.iterdir())
                _fill(memory, number, (number * 7_919 % (largest + _MORE), old[1]), result)
            result.broken += memory.everything().audit.verify().problems
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    return result


def _fill(memory: erstwhile.Memory, number: int, limit: tuple[int, int], result: Outcome) -> None:
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    text = f"text {number} " + os.urandom(40_000).hex()
    result.tried += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    try:
        memory.remember(text)
    except erstwhile.ErstwhileError as error:
        result.errors[type(error).__name__] += 1
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        if memory.facts.count() != number:
            result.broken.append(f"{number}: a refused change is there")
        memory.remember(text)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    result.lost += memory.facts.count() != number + 1


def _fails_at(vfs: RecordingVfs, begun: Path, kind: str, place: int, result: Outcome) -> bool:
    """Live with a fault at a place; return False if the life has no such place."""
    file = begun.with_name(f"{place}.db")
    shutil.copy(begun, file)
    fault = vfs.before = _Fault(kind, place)
    _live(vfs, file, result)
    vfs.before = len
    if fault.left > 0:
        return False
    result.tried += 1
    result.broken += [f"{kind} {place}: {each}" for each in problems(file)]
    file.unlink()
    return True


def _live(vfs: RecordingVfs, file: Path, result: Outcome) -> None:
    """Open a memory and change it, with one fault; check each failed change, and the next."""
    memory = _try(partial(opened, file), file, vfs, result) or opened(file)
    for number in range(_CHANGES):
        before, failed = _undisturbed(vfs, file), result.errors.total()
        _try(partial(_change, memory.scoped(user="ana"), number), file, vfs, result)
        acknowledged = result.errors.total() == failed
        result.lost += acknowledged and _undisturbed(vfs, file) == before
    _try(memory.close, file, vfs, result)


def _change(ana: erstwhile.Memory, number: int) -> object:
    if number % 3 == 0:
        return ana.remember(f"again {number} {'long ' * 999}", tags=["b"], entities=["Bob"])
    if number % 3 == 1:
        return ana.facts.set("number", f"again {number}")
    return ana.blocks.append("notes", f"again {number}")


def _try(
    call: Callable[[], erstwhile.Memory | object], file: Path, vfs: RecordingVfs, result: Outcome
) -> erstwhile.Memory | None:
    before = _undisturbed(vfs, file)
    try:
        made = call()
    except erstwhile.ErstwhileError as error:
        result.errors[type(error).__name__] += 1
        if _undisturbed(vfs, file) != before:
            result.broken.append(f"{type(error).__name__}: the failed change is stored")
        return None
    except Exception as error:
        result.broken.append(f"an error of the driver came out: {error!r}")
        return None
    return made if isinstance(made, erstwhile.Memory) else None


def _undisturbed(vfs: RecordingVfs, file: Path) -> str:
    fault, vfs.before = vfs.before, len
    try:
        return digest(file)
    finally:
        vfs.before = fault
