"""How people see what a context holds."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import Rows, grid, plain_table, view
from erstwhile.context.model import ContextReport, LeftOut

_MOST_LEFT_OUT = 10


@view.register
def _report_view(report: ContextReport, _at: datetime | None) -> RenderableType:
    rows: Rows = (
        ("tokens", f"{report.tokens:,} of {report.budget:,}, by {report.tokenizer}"),
        ("of them prefix", f"{report.prefix:,}"),
        ("not relevant", f"{report.below_floor:,}" if report.below_floor else None),
        ("messages left out", f"{report.omitted:,}" if report.omitted else None),
        ("notices", safe_line("; ".join(report.notices), 500)),
    )
    parts: list[RenderableType] = [grid(rows)]
    if report.sections:
        parts += ["", _sections(report)]
    if report.left_out:
        parts += ["", _left_out(report.left_out)]
    return Group(*parts)


def _sections(report: ContextReport) -> Table:
    shown = plain_table()
    shown.add_column("section", style="cyan")
    for name in ("tokens", "share", "left out"):
        shown.add_column(name, justify="right")
    left = Counter(each.section for each in report.left_out)
    for section, tokens in report.sections.items():
        told = f"{left[section]:,}" if left[section] else ""
        shown.add_row(section, f"{tokens:,}", f"{tokens / report.budget:.0%}", told)
    return shown


def _left_out(left: tuple[LeftOut, ...]) -> Group:
    shown = plain_table()
    for name in ("section", "why", "left out"):
        shown.add_column(name, overflow="fold", style="cyan" if name == "section" else "")
    for each in left[:_MOST_LEFT_OUT]:
        shown.add_row(each.section, each.reason, Text(safe_line(each.text, 80)))
    more = len(left) - _MOST_LEFT_OUT
    return Group(shown, *([Text(f"and {more:,} more: see --json", "dim")] if more > 0 else []))
