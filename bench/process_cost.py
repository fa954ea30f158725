"""Measure the CPU time of a process."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence


def cpu(
    arguments: Sequence[str], stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> float:
    """Return the CPU milliseconds of Python with these arguments, with its start."""
    before = _spent()
    line = [sys.executable, *arguments]
    ended = subprocess.run(line, input=stdin, capture_output=True, check=True, env=environment)
    assert not ended.stderr, ended.stderr
    return (_spent() - before) * 1_000


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
