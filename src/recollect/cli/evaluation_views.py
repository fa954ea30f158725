"""The figures of a trial as a table: ours, and beside them the baseline's."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.cli.safe import safe_line
from recollect.cli.views import plain_table, view
from recollect.evaluation.trial import Line, Report


@view.register
def _report_view(report: Report, _at: datetime | None) -> RenderableType:
    head = f"{report.data}, embedder {report.embedder}, facts {report.items:,}"
    foot = "× is how many times as good as SQLite's FTS5 alone, which is in brackets."
    return Group(Text(safe_line(head), "bold"), _table(report.lines), Text(foot, "dim"))


def _table(lines: tuple[Line, ...]) -> Table:
    shown = plain_table()
    shown.add_column("questions")
    shown.add_column("", justify="right")
    for name in lines[0].recollect:
        shown.add_column(name, no_wrap=True)
    for line in lines:
        style = "bold" if line is lines[-1] else ""
        cells = [line.told(name) for name in line.recollect]
        shown.add_row(line.category, f"{line.questions:,}", *cells, style=style)
    return shown
