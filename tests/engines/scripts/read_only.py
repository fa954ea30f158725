"""Open files that an unprivileged user may only read; prints what was read and what was refused.

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
READ_ONLY, FOLDER, FOREIGN, WIDE = "read-only.db", "kept/inside.db", "foreign.db", "wide.db"


def told(path: Path) -> list[object]:
    """Return the facts, the refusal of a write, and the files that were left beside the memory."""
    try:
        # Settings of our own: those of others may lie where only root may look.
        with erstwhile.open(path, settings=erstwhile.Settings(embedder="none")) as memory:
            texts: object = [fact.text for fact in memory.facts.list()]
            try:
                memory.remember("something")
                refusal = "none"
            except erstwhile.ErstwhileError as error:
                refusal = type(error).__name__
    except erstwhile.ErstwhileError as error:
        return [type(error).__name__, error.remedy, []]
    beside = sorted(each.name for each in path.parent.glob(f"{path.name}-*"))
    return [texts, refusal, beside]


def main(place: str) -> None:
    assert sqlite.SPACE  # loaded while we still may read it
    folder = Path(place)
    (folder / "kept").mkdir()
    for name in (READ_ONLY, FOLDER, FOREIGN, WIDE):
        with erstwhile.open(folder / name, settings=erstwhile.Settings(embedder="none")) as memory:
            memory.remember("kept well")
    for name, mode in ((READ_ONLY, 0o400), (FOREIGN, 0o644), (WIDE, 0o666)):
        (folder / name).chmod(mode)
    (folder / "kept").chmod(0o500)
    if os.geteuid() == 0:
        for path in (folder, folder / READ_ONLY, folder / "kept", folder / FOLDER):
            os.chown(path, NOBODY, NOBODY)
        os.setuid(NOBODY)
    names = (READ_ONLY, FOLDER, FOREIGN, WIDE)
    print(json.dumps({name: told(folder / name) for name in names}))
    (folder / "kept").chmod(0o700)


if __name__ == "__main__":
    main(*sys.argv[1:])
