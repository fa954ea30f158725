"""The page docs/reliability.md, from the figures of a long run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.engines.processes import PROJECT

PAGE = PROJECT / "docs" / "reliability.md"
_TITLES = {
    "cuts": "power cuts, `synchronous=FULL` (the default)",
    "control": "power cuts, `synchronous=NORMAL`",
    "kills": "writers ended by SIGKILL, four at a time on one file",
    "errors": "I/O errors, one at each operation",
    "disk": "writes to a full disk",
    "processes": "operations of several processes on one file",
    "server-kills": "clients of PostgreSQL ended by SIGKILL",
    "server-crashes": "crashes of the PostgreSQL server under load",
    "server-processes": "operations of several processes on PostgreSQL",
}
_TEXT = Path(__file__).with_suffix(".md")


def written(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page."""
    newest = max(found.values(), key=lambda figures: str(figures["date"]))
    named = {name: newest[name] for name in ("date", "python", "sqlite", "apsw", "system")}
    minutes = round(sum(figures["seconds"] for figures in found.values()) / 60)
    rows = "\n".join(_row(title, found[part]) for part, title in _TITLES.items())
    return _TEXT.read_text("utf-8").format(rows=rows, minutes=minutes, **named)


def _row(title: str, figures: Mapping[str, Any]) -> str:
    note = figures.get("note", "")
    lost = f"{figures['lost']:,}" if "lost" in figures else "–"
    return f"| {title} | {figures['tried']:,} | {lost} | {len(figures['broken']):,} | {note} |"
