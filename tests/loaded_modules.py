"""Find out which modules a piece of code loads."""

from __future__ import annotations

import subprocess
import sys

_TELL = "import sys; print(*sorted(sys.modules), file=sys.stderr)"


def loaded(code: str) -> set[str]:
    """Run code in a new process, and return the names of the modules that it has loaded."""
    line = [sys.executable, "-c", f"{code}\n{_TELL}"]
    ended = subprocess.run(line, capture_output=True, text=True, check=True, timeout=120)
    return set(ended.stderr.split())
