"""Views of recalled records, and of the report of a context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import Fields, Row, cell, grid, plain_table, second
from erstwhile.cli.views.records import row, statement, view
from erstwhile.context.model import ContextReport
from erstwhile.core.kinds import TextKind
from erstwhile.core.results import Trace
from erstwhile.facts.fact import Fact
from erstwhile.recall.hits import Channel, Hit, Recalled, RecallHits, WhyNot
from erstwhile.search.terms import terms

NONE_FOUND = (
    "Nothing here matches this question.\n"
    "Use other words, or ask for weaker matches with --floor 0; --explain shows the comparison."
)
_FILLED = {Channel.GRAPH: "added: linked to the others", Channel.RECENT: "added: recent"}
_NOUNS = {
    TextKind.OBSERVATIONS: "observation",
    TextKind.LESSONS: "lesson",
    TextKind.SUMMARIES: "summary",
}
_WIDTH = 5
_WORD = re.compile(r"\w+")
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MAX_SHOWN = 10
_MAX_LENGTH = 500
"""The characters of a passage that are shown."""
_SIMILAR = 0.1
"""The lowest cosine that is shown."""
VISIBLE_SHIFT = 0.02
"""A factor that moves a score by less is not shown."""


@view.register
def hits_view(hits: RecallHits, at: datetime | None, *, scopes: bool = False) -> RenderableType:
    """Return the view of the answer of `recall`; with `scopes`, always with their scopes."""
    table = _table(hits, at, scopes=scopes) if hits else Text(NONE_FOUND, "dim")
    parts: list[RenderableType] = [table]
    if hits.considered:
        parts += ["", _trace(hits.trace), *_left_out(hits)]
    return Group(*parts)


@view.register
def _why_not_view(found: WhyNot, at: datetime | None) -> RenderableType:
    shown = Text.assemble((found.reason.replace("_", " "), "bold"), ": ", safe_line(found.detail))
    return Group(shown, _table([found.hit], at)) if found.hit else shown


def _table(hits: RecallHits | list[Hit], at: datetime | None, *, scopes: bool = False) -> Table:
    """Return two lines for each hit: what was found, and below it the id and the reasons.

    The line below names the scope if the hits are of several scopes, or with `scopes`.
    """
    scopes = scopes or len({hit.record.scope for hit in hits}) > 1
    shown = plain_table()
    shown.add_column("match", no_wrap=True)
    shown.add_column("found", overflow="fold", ratio=1)
    shown.add_column("since", no_wrap=True)
    for hit in hits:
        scope = (str(hit.record.scope),) if scopes else ()
        below = cell(" · ".join((hit.record.short_id, *scope, *reasons(hit))), "dim", 300)
        since = Text(f"{_start_of(hit.record):%Y-%m-%d}")
        shown.add_row(_match(hit), _found_text(hit, at).append("\n").append(below), since)
    return shown


def _match(hit: Hit) -> Text:
    """Return how well a hit matches, as a number up to 1 and a bar of the same length."""
    if hit.why.channel is not Channel.MATCH:
        return Text("")
    share = hit.relevance
    weak = (" weak", "dim") if hit.is_weak else ""
    return Text.assemble((f"{share:.2f} ", "bold"), (bar(share), "green"), weak)


@row.register
def _hit_row(hit: Hit, at: datetime | None) -> Row:
    return {
        "match": _match(hit),
        "id": cell(hit.record.short_id, "dim"),
        "when": cell(second(_start_of(hit.record))),
        "found": _found_text(hit, at),
    }


def _found_text(hit: Hit, at: datetime | None) -> Text:
    """Return a fact with its state, or the matching passage of another record."""
    if isinstance(hit.record, Fact):
        return statement(hit.record, at)
    author = getattr(hit.record, "role", None) or _NOUNS[hit.kind]
    return Text.assemble((f"{author}: ", "cyan"), safe_line(hit.passage.text, _MAX_LENGTH))


def _start_of(record: Recalled) -> datetime:
    return record.valid_from if isinstance(record, Fact) else record.timestamp


def bar(share: float) -> str:
    """Return a share between 0 and 1 as a small bar."""
    eighths = round(min(max(share, 0.0), 1.0) * _WIDTH * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).strip()


def reasons(hit: Hit) -> list[str]:
    """Return the words shared with the question, the similarity, and what moved the hit."""
    why = hit.why
    if why.channel is not Channel.MATCH:
        return [_FILLED[why.channel]]
    text = f"{getattr(hit.record, 'key', None) or ''} {hit.record.searched}"
    written = {term: word for word in _WORD.findall(text) for term in terms(word)}
    found_terms = sorted(why.terms, key=lambda term: -why.terms[term])
    words = dict.fromkeys(written.get(term, term) for term in found_terms)
    found = [f"words: {', '.join(words)}"] if words else []
    if why.cosine is not None and why.cosine >= _SIMILAR:
        found.append(f"similar meaning: {why.cosine:.2f}")
    moved = {name: shift for name, shift in why.factors.items() if abs(shift) >= VISIBLE_SHIFT}
    return found + [
        f"{'higher' if shift > 0 else 'lower'} by {name.replace('_', ' ')}"
        for name, shift in moved.items()
    ]


def _trace(trace: Trace) -> Table:
    period = trace.period and " to ".join(f"{moment:%Y-%m-%d}" for moment in trace.period)
    fields: Fields = (
        ("words", ", ".join(trace.terms)),
        ("names", ", ".join(trace.names)),
        ("embedded", trace.embedded),
        ("period", period),
        ("compared", f"{trace.candidates:,}, below the floor {trace.below_floor:,}"),
    )
    return grid(fields)


def _left_out(hits: RecallHits) -> list[RenderableType]:
    left = [each for each in hits.considered if each.status != "returned"]
    rows = [
        (f"{each.relevance:.3f}", each.status.replace("_", " "), each.record.searched)
        for each in left[:_MAX_SHOWN]
    ]
    return _first_rows(("relevance", "status", "compared, not returned"), rows, len(left))


def _first_rows(
    names: Sequence[str], rows: Sequence[tuple[str, str, str]], count: int, hint: str = ""
) -> list[RenderableType]:
    """Return a table of the first rows, and the number of those that are not shown."""
    shown = plain_table(*names)
    for *cells, text in rows:
        shown.add_row(*cells, cell(text, limit=80))
    more = count - _MAX_SHOWN
    note = [Text(f"and {more:,} more{hint}", "dim")] if more > 0 else []
    return ["", shown, *note] if rows else []


@view.register
def _report_view(report: ContextReport, _at: datetime | None) -> RenderableType:
    fields: Fields = (
        ("tokens", f"{report.tokens:,} of {report.budget:,}, by {report.tokenizer}"),
        ("of them prefix", f"{report.prefix:,}"),
        ("not relevant", f"{report.below_floor:,}" if report.below_floor else None),
        ("left out", f"{report.left_out_count:,}" if report.left_out_count else None),
        ("messages left out", f"{report.omitted:,}" if report.omitted else None),
        ("notices", safe_line("; ".join(report.notices), 500)),
    )
    parts: list[RenderableType] = [grid(fields)]
    if report.sections:
        parts += ["", _section_table(report)]
    rows = [(each.section, each.reason, each.text) for each in report.left_out[:_MAX_SHOWN]]
    names, count = ("section", "why", "left out"), report.left_out_count
    return Group(*parts, *_first_rows(names, rows, count, ": see --json"))


def _section_table(report: ContextReport) -> Table:
    shown = plain_table("section")
    for name in ("tokens", "share", "left out"):
        shown.add_column(name, justify="right")
    left = Counter(each.section for each in report.left_out)
    for section, tokens in report.sections.items():
        left_out = f"{left[section]:,}" if left[section] else ""
        shown.add_row(section, f"{tokens:,}", f"{tokens / report.budget:.0%}", left_out)
    return shown
