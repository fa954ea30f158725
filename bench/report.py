"""Print results as tables or as JSON, or write them into a page."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console, JustifyMethod
from rich.table import Table

_END = "<!-- end of the figures -->"


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement: a row for each case, and the meaning of its numbers."""

    title: str
    meaning: str
    rows: Sequence[Mapping[str, str | float]]


def show(results: Sequence[Result], *, as_json: bool) -> None:
    if as_json or not sys.stdout.isatty():
        print(json.dumps([asdict(result) for result in results], indent=2))
        return
    for result in results:
        Console().print(_table(result))


def _table(result: Result) -> Table:
    table = Table(title=result.title, caption=result.meaning, title_justify="left")
    for name, value in result.rows[0].items():
        justify: JustifyMethod = "left" if isinstance(value, str) else "right"
        table.add_column(name.replace("_", " "), justify=justify)
    for row in result.rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


def replaced(page: Path, name: str, text: str) -> None:
    """Replace the figures of a program in a page."""
    begin = f"<!-- figures of {name} -->"
    known, there = page.read_text("utf-8"), f"{begin}.*?{_END}"
    if not re.search(there, known, flags=re.DOTALL):
        raise ValueError(f"{page} has no {begin}")
    new = f"{begin}\n\n{text}\n\n{_END}"
    page.write_text(re.sub(there, lambda _: new, known, flags=re.DOTALL), "utf-8")
