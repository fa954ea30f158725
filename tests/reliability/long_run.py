"""Run the long version of the suite, or parts of it, and write docs/reliability.md.

Arguments: the parts to run, by default all. Each part stores its figures, so that the page can be
written after parts that ran one by one. It ends with an error if anything was lost or broken, or if
the control lost nothing.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import apsw

from tests.engines.postgres.server import running
from tests.engines.postgres.test_crashes import wait_for, writing
from tests.engines.processes import PROJECT, outcome
from tests.reliability import faults, histories, power
from tests.reliability.memory_file import Outcome, scratch

FIGURES = PROJECT / ".reliability"
Figures = dict[str, Any]
_DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


def cuts(synchronous: str, number: int) -> Figures:
    found = power.run(synchronous, lives=number // 100, changes=50, cuts=number, seed=7)
    return _figures(found)


def kill_writers(number: int, per_file: int = 40) -> Figures:
    total = Outcome()
    for seed in range(number // per_file):
        with scratch() as folder:
            file = folder / "memory.db"
            total.add(Outcome(**outcome("tests.reliability.kills", file, "main", per_file, seed)))
    return _figures(total, f"{total.done:,} changes acknowledged")


def kill_clients(number: int) -> Figures:
    with running(_DURABLE) as server:
        found = Outcome(**outcome("tests.reliability.kills", server.url, "kills", number, 5))
    return _figures(found, f"{found.done:,} changes acknowledged")


def fail_operations() -> Figures:
    total, notes = Outcome(), []
    for kind in faults.CODES:
        found = faults.run(kind)
        notes.append(f"{kind} {found.tried:,}")
        total.add(found)
    return _figures(total, ", ".join(notes))


def fill_disk(rounds: int) -> Figures:
    found = faults.run_full_disk(rounds=rounds)
    refused = found.errors.total()
    if not refused:
        found.broken.append("the disk was never full")
    return _figures(found, f"{refused:,} changes were refused")


def contend(place: str, space: str, operations: int) -> Figures:
    found = histories.run(place, space, processes=8, operations=operations, seed=3)
    return _figures(found, f"8 processes, {found.done:,} changes, the rest reads")


def contend_on_file(operations: int) -> Figures:
    with scratch() as folder:
        return contend(str(folder / "memory.db"), "main", operations)


def contend_on_server(operations: int) -> Figures:
    with running(_DURABLE) as server:
        return contend(server.url, "many", operations)


def crash_server(number: int, changes: int = 300) -> Figures:
    """Kill the PostgreSQL server itself while eight threads write."""
    with running(_DURABLE) as server, writing(server.url, "crash") as writers:
        for _ in range(number):
            wait_for(writers, changes)
            server.crash()
            server.start()
        wait_for(writers, changes)
        stored = sum(len(writer.stored) for writer in writers)
    return _figures(Outcome(tried=number), f"{stored:,} changes acknowledged")


def _figures(found: Outcome, note: str = "") -> Figures:
    return {"tried": found.tried, "note": note, "lost": found.lost, "broken": found.broken}


PARTS: dict[str, tuple[str, Callable[[], Figures]]] = {
    "cuts": ("power cuts, `synchronous=FULL` (the default)", lambda: cuts("FULL", 2_000)),
    "control": ("power cuts, `synchronous=NORMAL`", lambda: cuts("NORMAL", 300)),
    "kills": (
        "writers ended by SIGKILL, four at a time on one file",
        lambda: kill_writers(520),
    ),
    "errors": ("I/O errors, one at each operation", fail_operations),
    "disk": ("writes to a full disk", lambda: fill_disk(200)),
    "processes": (
        "operations of several processes on one file",
        lambda: contend_on_file(2_000),
    ),
    "server-kills": ("clients of PostgreSQL ended by SIGKILL", lambda: kill_clients(100)),
    "server-crashes": ("crashes of the PostgreSQL server under load", lambda: crash_server(20)),
    "server-processes": (
        "operations of several processes on PostgreSQL",
        lambda: contend_on_server(500),
    ),
}
"""The title and the function of each part."""


def main(*chosen: str) -> int:
    FIGURES.mkdir(exist_ok=True)
    for part in chosen or PARTS:
        begin = monotonic()
        figures = {
            **PARTS[part][1](),
            "seconds": round(monotonic() - begin),
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "python": platform.python_version(),
            "sqlite": apsw.sqlite_lib_version(),
            "apsw": apsw.apsw_version(),
            "system": f"{platform.system()} {platform.machine()}",
        }
        (FIGURES / f"{part}.json").write_text(json.dumps(figures, indent=1))
        print(part, {**figures, "broken": figures["broken"][:10]}, flush=True)
    stored = {part: FIGURES / f"{part}.json" for part in PARTS}
    found = {part: json.loads(file.read_text()) for part, file in stored.items() if file.exists()}
    if len(found) == len(PARTS):
        PAGE.write_text(written(found), "utf-8")
        print(f"{PAGE.relative_to(PROJECT)} was written")
    return int(
        any(
            each["broken"] or bool(each["lost"]) != (part == "control")
            for part, each in found.items()
        )
    )


PAGE = PROJECT / "docs" / "reliability.md"
_TEXT = Path(__file__).with_name("page.md")


def written(found: Mapping[str, Mapping[str, Any]]) -> str:
    newest = max(found.values(), key=lambda figures: str(figures["date"]))
    named = {name: newest[name] for name in ("date", "python", "sqlite", "apsw", "system")}
    minutes = round(sum(figures["seconds"] for figures in found.values()) / 60)
    rows = "\n".join(_row(title, found[part]) for part, (title, _) in PARTS.items())
    return _TEXT.read_text("utf-8").format(rows=rows, minutes=minutes, **named)


def _row(title: str, figures: Mapping[str, Any]) -> str:
    tried, lost, broken = figures["tried"], figures["lost"], len(figures["broken"])
    return f"| {title} | {tried:,} | {lost:,} | {broken:,} | {figures['note']} |"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
