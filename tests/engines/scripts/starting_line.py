"""How a script waits until all the others are ready too."""

from __future__ import annotations

import sys


def wait() -> None:
    print("ready", flush=True)
    sys.stdin.readline()
