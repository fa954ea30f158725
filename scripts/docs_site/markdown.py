"""Parts of Markdown that the generated pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path


def write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table, or nothing if it has no rows."""
    lines = [" | ".join(map(cell, row)) for row in rows]
    every = [" | ".join(head), " | ".join("---" for _ in head), *lines]
    return "\n".join(f"| {line} |" for line in every) + "\n" if lines else ""


def cell(text: str) -> str:
    """Escape the bars of a text, except those in code, where the backslash would be shown."""
    return re.sub(r"(`[^`]*`)|\|", lambda found: found[1] or "\\|", text)
