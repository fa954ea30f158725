"""Views of the records of an agent's work."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from rich.console import RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import (
    Row,
    cell,
    grid,
    record_view,
    row,
    scope_cell,
    second,
    view,
)
from erstwhile.core.language import LanguageGuess
from erstwhile.records.model import (
    Lesson,
    Limitation,
    Observation,
    Outcome,
    OutcomeTally,
)
from erstwhile.storage.record import Record
from erstwhile.usage.entry import UsageEntry, UsageSummary
from erstwhile.usage.prices import Price

_SCORES = {1: Text("+1", "green"), 0: Text("0", "dim"), -1: Text("-1", "red")}


@view.register
def _outcome_view(outcome: Outcome, _at: datetime | None) -> RenderableType:
    score = _SCORES[outcome.score]
    return record_view(
        outcome,
        outcome.domain,
        ("score", score),
        ("note", outcome.note),
        ("source", outcome.source),
    )


@view.register
def _lesson_view(lesson: Lesson, _at: datetime | None) -> RenderableType:
    return record_view(
        lesson,
        lesson.rule,
        ("domain", lesson.domain),
        ("learned", f"{lesson.occurrences:,} ×, last {second(lesson.learned_at)}"),
    )


@view.register
def _observation_view(observation: Observation, _at: datetime | None) -> RenderableType:
    return record_view(
        observation,
        observation.title,
        ("type", observation.type),
        ("what", observation.what),
        ("why", observation.why),
        ("where", observation.where),
        ("learned", observation.learned),
    )


@view.register
def _limitation_view(limitation: Limitation, _at: datetime | None) -> RenderableType:
    return record_view(
        limitation,
        limitation.title,
        ("status", limitation.status),
        ("description", limitation.description),
        ("plan", limitation.plan),
        ("resolution", limitation.resolution),
        ("reported", f"{limitation.reports:,} ×, last {second(limitation.reported_at)}"),
    )


@view.register
def _usage_view(entry: UsageEntry, _at: datetime | None) -> RenderableType:
    return record_view(
        entry,
        entry.model,
        ("session", entry.session),
        ("at", second(entry.at)),
        *((name, f"{count:,}") for name, count in _tokens(entry).items()),
        ("cost", _money(entry.cost)),
    )


@view.register
def _price_view(price: Price, _at: datetime | None) -> RenderableType:
    return grid(
        (
            ("input", _money(price.input)),
            ("output", _money(price.output)),
            ("cache read", _money(price.cache_read) if price.cache_read is not None else None),
            ("cache write", _money(price.cache_write) if price.cache_write is not None else None),
            ("as of", price.as_of.isoformat() if price.as_of else None),
        )
    )


@view.register
def _guess_view(guess: LanguageGuess, _at: datetime | None) -> RenderableType:
    if guess.language is None:
        return Text("The language of this text is not clear.", "dim")
    sure = "settled" if guess.settled else "not settled"
    return Text(f"{guess.language}  ({guess.confidence:.0%}, words {guess.words}, {sure})")


@row.register
def _outcome_row(outcome: Outcome, _at: datetime | None) -> Row:
    return _row(
        outcome,
        domain=cell(outcome.domain, "cyan"),
        score=_SCORES[outcome.score],
        note=cell(outcome.note or ""),
    )


@row.register
def _tally_row(tally: OutcomeTally, _at: datetime | None) -> Row:
    return {
        "domain": cell(tally.domain, "cyan"),
        "project": cell(tally.project or ""),
        "good": Text(f"{tally.good:,}", "green"),
        "neutral": Text(f"{tally.neutral:,}", "dim"),
        "bad": Text(f"{tally.bad:,}", "red"),
    }


@row.register
def _lesson_row(lesson: Lesson, _at: datetime | None) -> Row:
    return _row(
        lesson,
        domain=cell(lesson.domain, "cyan"),
        lesson=Text.assemble(safe_line(lesson.rule), (f" ×{lesson.occurrences:,}", "green")),
    )


@row.register
def _observation_row(observation: Observation, _at: datetime | None) -> Row:
    return _row(
        observation,
        kind=Text(observation.type, "cyan"),
        title=cell(observation.title),
        where=cell(observation.where or "", "dim"),
    )


@row.register
def _limitation_row(limitation: Limitation, _at: datetime | None) -> Row:
    style = "yellow" if limitation.resolved_at is None else "green"
    return _row(
        limitation,
        status=Text(limitation.status, style),
        title=Text.assemble(safe_line(limitation.title), (f" ×{limitation.reports:,}", "dim")),
        plan=cell(limitation.plan or ""),
    )


@row.register
def _usage_row(entry: UsageEntry, _at: datetime | None) -> Row:
    return _row(
        entry,
        model=cell(entry.model, "cyan"),
        session=cell(entry.session or ""),
        **{name: Text(f"{count:,}") for name, count in _tokens(entry).items()},
        cost=_money(entry.cost),
    )


@row.register
def _summary_row(total: UsageSummary, _at: datetime | None) -> Row:
    return {
        "of": cell(total.of or "", "cyan"),
        "calls": Text(f"{total.calls:,}"),
        **{name: Text(f"{count:,}") for name, count in _tokens(total).items()},
        "cost": _money(total.cost),
        "unpriced": Text(f"{total.unpriced:,}" if total.unpriced else "", "yellow"),
    }


def _row(record: Record, **columns: Text) -> dict[str, Text]:
    head = {"id": Text(record.short_id, "dim"), "when": Text(f"{record.created_at:%Y-%m-%d}")}
    return {**head, **columns, "scope": scope_cell(record.scope)}


def _tokens(counted: UsageEntry | UsageSummary) -> dict[str, int]:
    return {
        "in": counted.input,
        "out": counted.output,
        "cache read": counted.cache_read,
        "cache write": counted.cache_write,
    }


def _money(dollars: Decimal | None) -> Text:
    return Text("unknown", "yellow") if dollars is None else Text(f"${dollars:f}")
