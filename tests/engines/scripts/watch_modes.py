"""Open a new memory under umask 0; print the modes of its files before each statement."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import apsw

import erstwhile


def main(path: str) -> None:
    os.umask(0)
    seen: list[list[int]] = []

    def look(*_: object) -> bool:
        files = Path(path).parent.iterdir()
        seen.append([stat.S_IMODE(file.stat().st_mode) for file in files])
        return True

    def trace(connection: apsw.Connection) -> None:
        connection.exec_trace = look

    apsw.connection_hooks.append(trace)
    erstwhile.open(path).close()
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
