"""Views of measurements: two tables for each set of questions, of search and of contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.views.layout import cell, plain_table, view
from erstwhile.evaluation.report import CategoryScores, Report, Reports

_Figures: TypeAlias = Callable[[CategoryScores], dict[str, str]]
"""The cells of a line by the name of their column."""

_SEARCH = "Search; in brackets: {}."
_CONTEXTS = "Contexts: the share of the evidence quoted in N tokens, and how many were used."


@view.register
def _evaluation_view(found: Reports, _at: datetime | None) -> RenderableType:
    return Group(*(part for report in found.reports for part in _report(report)))


def _report(report: Report) -> Iterator[RenderableType]:
    flushed = "" if report.flushed else ", asked at once"
    stored = f"{report.items:,} {report.stored_as}"
    yield cell(f"{report.data}: {stored}, embedder {report.embedder}{flushed}", "bold")
    yield Text(_SEARCH.format(report.baseline), "dim")
    yield _table(report.lines, _search)
    if report.lines[-1].contexts:
        yield Text(_CONTEXTS, "dim")
        yield _table(report.lines, _contexts)
    yield ""


def _table(lines: tuple[CategoryScores, ...], figures: _Figures) -> Table:
    shown, names = plain_table(), list(figures(lines[-1]))
    shown.add_column("questions", overflow="fold")
    for name in ("", *names):
        shown.add_column(name, justify="right", overflow="fold")
    for line in lines:
        cells = [figures(line).get(name, "") for name in names]
        style = "bold" if line is lines[-1] else ""
        shown.add_row(line.category, f"{line.questions:,}", *cells, style=style)
    return shown


def _search(line: CategoryScores) -> dict[str, str]:
    return {
        name: f"{_share(ours)} ({_share(line.baseline[name])})"
        for name, ours in line.erstwhile.items()
    }


def _contexts(line: CategoryScores) -> dict[str, str]:
    evidence = {
        f"in {each.budget:,}": f"{_share(each.evidence)} ({each.tokens:,.0f})"
        for each in line.contexts
    }
    wishes = {
        f"wish in {each.budget:,}": _share(each.wishes)
        for each in line.contexts
        if each.wishes is not None
    }
    return evidence | wishes


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
