"""A script waits here until all others are ready."""

from __future__ import annotations

import sys


def wait() -> None:
    print("ready", flush=True)
    sys.stdin.readline()
