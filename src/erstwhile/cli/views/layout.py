"""The layout of the output for people: a view of one record, and a table of many.

Modules of views register a function for each type of record with `view` and `row`. Texts become
`Text` objects and are made safe, so that no stored text is taken for markup or for a command to
the terminal. Times are UTC, as in every option.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import singledispatch
from typing import Any, TypeAlias

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.core.scope import Scope
from erstwhile.storage.record import Record

Fields: TypeAlias = Iterable[tuple[str, str | Text | None]]
"""Names and values; a field without a value is not shown."""
Row: TypeAlias = dict[str, Text]
"""The cells of a record in a table, by the name of their column."""

_NO_WRAP = frozenset(("id", "since", "kind", "when", "no", "subject", "facts", "did", "outcome"))
_BELOW = "what came of it"
"""The field that is shown below its row, in the whole width: it has a line for each proposal."""
_TABLE_WIDTH = 64
"""The smallest width of a terminal for a table."""


@singledispatch
def view(value: Any, _at: datetime | None) -> RenderableType:
    """Return the view of one record. `at` is the time at which the state of a fact is computed."""
    raise TypeError(f"no view of a {type(value).__name__}")


@singledispatch
def row(value: Any, _at: datetime | None) -> Row:
    """Return the row of a record in a table."""
    raise TypeError(f"no row for a {type(value).__name__}")


@view.register
def _mapping_view(value: Mapping, _at: datetime | None) -> RenderableType:  # type: ignore[type-arg]
    return grid((name, str(part)) for name, part in value.items())


def record_view(record: Record, title: str, *fields: tuple[str, str | Text | None]) -> Group:
    """Return a title, the fields of this record, and the fields that all records have."""
    common: Fields = (
        ("id", record.id),
        ("scope", str(record.scope)),
        ("created", second(record.created_at)),
        ("changed", second(record.changed_at) if record.changed_at > record.created_at else None),
        ("deleted", second(record.deleted_at)),
    )
    return Group(Text(safe_lines(title), "bold"), "", grid((*fields, *common)))


@dataclass(frozen=True, slots=True)
class TableView:
    """Records of one type: a table, or a list of fields if the terminal is too narrow."""

    names: Sequence[str]
    rows: Sequence[Row]

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= _TABLE_WIDTH:
            yield from self._rows_with_lines() if _BELOW in self.names else [self._table()]
            return
        for row in self.rows:
            yield grid((name, row[name]) for name in self.names)
            yield ""

    def _rows_with_lines(self) -> Iterator[RenderableType]:
        names = [name for name in self.names if name != _BELOW]
        widths = [max(len(name), *(row[name].cell_len for row in self.rows)) for name in names]
        yield _line([Text(name, "dim") for name in names], widths)
        for row in self.rows:
            yield _line([row[name] for name in names], widths)
            yield Padding(row[_BELOW], (0, 0, 0, 2))

    def _table(self) -> Table:
        shown = plain_table()
        for name in self.names:
            shown.add_column(name, no_wrap=name in _NO_WRAP, overflow="fold")
        for row in self.rows:
            shown.add_row(*(row[name] for name in self.names))
        return shown


def _line(cells: Sequence[Text], widths: Sequence[int]) -> Text:
    padded = [
        cell + " " * (width - cell.cell_len) for cell, width in zip(cells, widths, strict=True)
    ]
    return Text("  ").join(padded)


def table(items: Sequence[Any], at: datetime | None) -> TableView:
    """Return a table of records, without empty columns and without a scope that all share."""
    rows = [row(item, at) for item in items]
    names = [name for name in rows[0] if any(each[name] for each in rows)]
    if "scope" in names and len({str(each["scope"]) for each in rows}) == 1:
        names.remove("scope")
    return TableView(names, rows)


def plain_table() -> Table:
    """Return an empty table without lines."""
    return Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)


def grid(fields: Fields) -> Table:
    """Return fields below each other, those without a value left out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields:
        if value:
            grid.add_row(name, value if isinstance(value, Text) else Text(safe_lines(value)))
    return grid


def cell(text: str | None, style: str = "", limit: int = 200) -> Text:
    """Return a text on one line, made safe."""
    return Text(safe_line(text or "", limit), style)


def scope_cell(scope: Scope) -> Text:
    """Return the scope of a record."""
    return cell(str(scope), "dim")


def second(moment: datetime | None) -> str:
    """Return a time to the second, or nothing if there is none."""
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def json_text(value: Mapping[str, Any]) -> str:
    """Return metadata as JSON, or nothing if it is empty."""
    return json.dumps(dict(value), ensure_ascii=False) if value else ""
