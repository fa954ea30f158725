"""Tables and grids for people, in which stored text is safe.

Texts become `Text` objects with control characters escaped, so that no stored text is taken for
markup or for a command to the terminal. Times are UTC, as in every option.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from erstwhile.cli.safe_text import safe_line, safe_lines

Fields: TypeAlias = Iterable[tuple[str, str | Text | None]]
"""Names and values; a field without a value is not shown."""
Row: TypeAlias = dict[str, Text]
"""The cells of a record in a table, by the name of their column."""

BELOW = "what came of it"
"""The column that is shown below its row, in the whole width: it has a line for each proposal."""
_NO_WRAP = frozenset(
    ("id", "since", "kind", "when", "no", "subject", "facts", "did", "outcome", "token")
)
_TABLE_WIDTH = 64
"""The smallest width of a terminal for a table."""


@dataclass(frozen=True, slots=True)
class TableView:
    """Records of one type: a table, or a list of fields if the terminal is too narrow."""

    names: Sequence[str]
    rows: Sequence[Row]

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= _TABLE_WIDTH:
            yield from self._rows_with_lines() if BELOW in self.names else [self._table()]
            return
        for row in self.rows:
            yield grid((name, row[name]) for name in self.names)
            yield ""

    def _rows_with_lines(self) -> Iterator[RenderableType]:
        names = [name for name in self.names if name != BELOW]
        widths = [max(len(name), *(row[name].cell_len for row in self.rows)) for name in names]
        yield _padded_line([Text(name, "dim") for name in names], widths)
        for row in self.rows:
            yield _padded_line([row[name] for name in names], widths)
            yield Padding(row[BELOW], (0, 0, 0, 2))

    def _table(self) -> Table:
        shown = plain_table(*self.names)
        for row in self.rows:
            shown.add_row(*(row[name] for name in self.names))
        return shown


def _padded_line(cells: Sequence[Text], widths: Sequence[int]) -> Text:
    padded = [
        cell + " " * (width - cell.cell_len) for cell, width in zip(cells, widths, strict=True)
    ]
    return Text("  ").join(padded)


def table_of(rows: Sequence[Row], *, scopes: bool = False) -> TableView:
    """Return a table without empty columns; without `scopes` also without a scope of all rows."""
    names = [name for name in rows[0] if any(each[name] for each in rows)]
    if not scopes and "scope" in names and len({str(each["scope"]) for each in rows}) == 1:
        names.remove("scope")
    return TableView(names, rows)


def plain_table(*names: str) -> Table:
    """Return an empty table without lines."""
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    for name in names:
        style = "cyan" if name == "section" else ""
        table.add_column(name, style=style, no_wrap=name in _NO_WRAP, overflow="fold")
    return table


def grid(fields: Fields) -> Table:
    """Return fields below each other; fields without a value are left out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields:
        if value:
            grid.add_row(name, value if isinstance(value, Text) else Text(safe_lines(value)))
    return grid


def cell(text: str | None, style: str = "", limit: int = 200) -> Text:
    """Return a safe text on one line."""
    return Text(safe_line(text or "", limit), style)


def second(moment: datetime | None) -> str:
    """Return a time to the second, or nothing if there is none."""
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"
