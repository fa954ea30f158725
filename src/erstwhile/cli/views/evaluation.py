"""Views of measurements: a table for each set of questions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.views.layout import cell, plain_table, view
from erstwhile.evaluation.report import CategoryScores, Evaluation, Report

_FOOT = "In brackets: {}. In N: the share of the evidence that a context of N tokens quotes."


@view.register
def _evaluation_view(found: Evaluation, _at: datetime | None) -> RenderableType:
    return Group(*(part for report in found.reports for part in _report(report)))


def _report(report: Report) -> Iterator[RenderableType]:
    flushed = "" if report.flushed else ", asked at once"
    stored = f"{report.items:,} {report.stored_as}"
    yield cell(f"{report.data}: {stored}, embedder {report.embedder}{flushed}", "bold")
    yield _table(report.lines)
    yield Text(_FOOT.format(report.baseline) + "\n", "dim")


def _table(lines: tuple[CategoryScores, ...]) -> Table:
    shown = plain_table()
    shown.add_column("questions", overflow="fold")
    for name in ("", *(name for name, _ in _figures(lines[-1]))):
        shown.add_column(name, justify="right", overflow="fold")
    for line in lines:
        figures = dict(_figures(line))
        cells = [figures.get(name, "") for name, _ in _figures(lines[-1])]
        style = "bold" if line is lines[-1] else ""
        shown.add_row(line.category, f"{line.questions:,}", *cells, style=style)
    return shown


def _figures(line: CategoryScores) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each column."""
    for name, ours in line.erstwhile.items():
        yield name, f"{_share(ours)} ({_share(line.baseline[name])})"
    for each in line.contexts:
        yield f"in {each.budget:,}", _share(each.evidence)
        if each.wishes is not None:
            yield f"wish in {each.budget:,}", _share(each.wishes)
        yield f"used of {each.budget:,}", f"{each.tokens:,.0f}"


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
