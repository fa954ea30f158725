"""What a process of its own costs."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence


def cpu(
    words: Sequence[str], said: bytes = b"", environment: Mapping[str, str] | None = None
) -> float:
    """Milliseconds of processor time of Python with these words, its start included."""
    before = _spent()
    line = [sys.executable, *words]
    ended = subprocess.run(line, input=said, capture_output=True, check=True, env=environment)
    assert not ended.stderr, ended.stderr
    return (_spent() - before) * 1_000


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
