"""What was recalled, as people like to read it: the fact, since when, and bars that tell why."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import Rows, grid, plain_table, statement, view
from erstwhile.core.hits import Trace
from erstwhile.recall.hits import Channel, Considered, FactHits, Hit, Why, WhyNot

NONE_FOUND = (
    "Nothing that matters for this is remembered here.\n"
    "Ask in other words, or for weaker matches with --floor 0; --explain shows what was compared."
)
_FILLED = {
    Channel.GRAPH: " · fills up: linked to the others",
    Channel.RECENT: " · fills up: recent",
}
_WIDTH = 5
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MOST_COMPARED = 10
TELLING = 0.02
"""A factor that moves a score by less is not worth its place."""


@view.register
def _hits_view(hits: FactHits, at: datetime | None) -> RenderableType:
    parts: list[RenderableType] = [_table(hits, at) if hits else Text(NONE_FOUND, "dim")]
    if hits.considered:
        parts += ["", _trace(hits.trace), *_left_out(hits)]
    return Group(*parts)


@view.register
def _why_not_view(found: WhyNot, at: datetime | None) -> RenderableType:
    told = Text.assemble((found.reason.replace("_", " "), "bold"), ": ", safe_line(found.detail))
    return Group(told, _table([found.hit], at)) if found.hit else told


def _table(hits: FactHits | list[Hit], at: datetime | None) -> Table:
    shown = plain_table()
    for name in ("score", "fact"):
        shown.add_column(name, overflow="fold", ratio=None if name == "score" else 1)
    for name in ("since", "words", "meaning", "else"):
        shown.add_column(name, no_wrap=True)
    best = max((hit.why.text or 0.0 for hit in hits), default=0.0)
    for hit in hits:
        shown.add_row(*_row(hit, best, at))
    return shown


def _row(hit: Hit, best: float, at: datetime | None) -> tuple[Text, ...]:
    told = statement(hit.fact, at).append(f"\n{hit.fact.short_id}", "dim").append(reasons(hit.why))
    return (
        Text(f"{hit.score:.2f}", "bold"),
        told,
        Text(f"{hit.fact.valid_from:%Y-%m-%d}"),
        Text(bar((hit.why.text or 0.0) / best if best else 0.0), "green"),
        Text(bar(hit.why.cosine or 0.0), "cyan"),
        Text(f"{sum(hit.why.factors.values()):+.0%}", "dim"),
    )


def bar(share: float) -> str:
    """A share of 1 as a small bar."""
    eighths = round(min(max(share, 0.0), 1.0) * _WIDTH * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).strip()


def reasons(why: Why) -> Text:
    """The words that it shares with the question, and what moved it."""
    if why.channel is not Channel.MATCH:
        return Text(_FILLED[why.channel], "dim")
    words = ", ".join(sorted(why.terms, key=lambda term: -why.terms[term]))
    moved = [f"{name} {shift:+.0%}" for name, shift in why.factors.items() if abs(shift) >= TELLING]
    told = "".join(f" · {each}" for each in (words, *moved) if each)
    return Text(safe_line(told, 300), "dim")


def _trace(trace: Trace) -> Table:
    period = trace.period and " to ".join(f"{moment:%Y-%m-%d}" for moment in trace.period)
    rows: Rows = (
        ("words", ", ".join(trace.terms)),
        ("names", ", ".join(trace.names)),
        ("embedded", trace.embedded),
        ("period", period),
        ("compared", f"{trace.candidates:,}, below the floor {trace.below_floor:,}"),
    )
    return grid(rows)


def _left_out(hits: FactHits) -> list[RenderableType]:
    left = [each for each in hits.considered if each.fate != "returned"]
    if not left:
        return []
    more = len(left) - _MOST_COMPARED
    end = [Text(f"and {more:,} more", "dim")] if more > 0 else []
    return ["", _compared(left[:_MOST_COMPARED]), *end]


def _compared(left: list[Considered]) -> Table:
    shown = plain_table()
    for name in ("relevance", "fate", "compared, not returned"):
        shown.add_column(name, overflow="fold")
    for each in left:
        fate = each.fate.replace("_", " ")
        shown.add_row(f"{each.relevance:.3f}", fate, Text(safe_line(each.fact.text, 80)))
    return shown
