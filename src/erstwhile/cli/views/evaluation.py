"""The figures of a trial as a table: ours, and beside them the baseline's."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import plain_table, view
from erstwhile.evaluation.trial import CategoryScores, Report


@view.register
def _report_view(report: Report, _at: datetime | None) -> RenderableType:
    head = f"{report.data}, embedder {report.embedder}, facts {report.items:,}"
    foot = "× is how many times as good as SQLite's FTS5 alone, which is in brackets."
    return Group(Text(safe_line(head), "bold"), _table(report.lines), Text(foot, "dim"))


def _table(lines: tuple[CategoryScores, ...]) -> Table:
    shown = plain_table()
    shown.add_column("questions")
    shown.add_column("", justify="right")
    for name in lines[0].erstwhile:
        shown.add_column(name, no_wrap=True)
    for line in lines:
        style = "bold" if line is lines[-1] else ""
        cells = [line.formatted(name) for name in line.erstwhile]
        shown.add_row(line.category, f"{line.questions:,}", *cells, style=style)
    return shown
