"""Try things that file rights forbid, as a user without privileges; prints what was said.

Arguments: a folder of our own. Tests often run as root, whom no file rights stop.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import erstwhile
from erstwhile.engines.sqlite import engine as sqlite

NOBODY = 65_534


def refusal(path: Path) -> list[str]:
    try:
        # Settings of our own: those of others may lie where only root may look.
        with erstwhile.open(path, settings=erstwhile.Settings()) as memory:
            memory.remember("something")
    except erstwhile.ErstwhileError as error:
        return [type(error).__name__, str(error)]
    return ["none", ""]


def main(place: str) -> None:
    assert sqlite.__name__  # loaded while we still may read it
    folder = Path(place)
    erstwhile.open(folder / "closed.db").close()
    erstwhile.open(folder / "kept" / "inside.db").close()
    (folder / "closed.db").chmod(0)
    (folder / "read-only.db").write_bytes((folder / "kept" / "inside.db").read_bytes())
    (folder / "read-only.db").chmod(0o444)
    (folder / "kept").chmod(0o500)
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        os.setuid(NOBODY)
    paths = ("closed.db", "read-only.db", "kept/inside.db", "kept/new.db", "kept/deeper/new.db")
    print(json.dumps({path: refusal(folder / path) for path in paths}))
    (folder / "kept").chmod(0o700)


if __name__ == "__main__":
    main(*sys.argv[1:])
