"""What a piece of code loads, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

_TELL = "import sys; print(*sorted(sys.modules), file=sys.stderr)"


def loaded(code: str) -> set[str]:
    """The modules and packages that are loaded after some code has run."""
    line = [sys.executable, "-c", f"{code}\n{_TELL}"]
    ended = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60)
    return set(ended.stderr.split())
