"""Records of an agent's work as people like to read them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views.layout import ROWS, Rows, grid, second, view
from erstwhile.core.language import LanguageGuess
from erstwhile.records.model import (
    Lesson,
    Limitation,
    Observation,
    ObservationHit,
    Outcome,
    OutcomeTally,
)
from erstwhile.storage.record import Record
from erstwhile.usage.entry import UsageEntry, UsageSummary
from erstwhile.usage.prices import Price

_SCORES = {1: Text("+1", "green"), 0: Text("0", "dim"), -1: Text("-1", "red")}


def record_view(record: Record, title: str, *rows: tuple[str, str | Text | None]) -> RenderableType:
    """A title, what is particular to the record, and what all of them have."""
    common: Rows = (
        ("id", record.id),
        ("scope", str(record.scope)),
        ("created", second(record.created_at)),
        ("changed", second(record.changed_at) if record.changed_at > record.created_at else None),
        ("deleted", second(record.deleted_at) if record.deleted_at else None),
    )
    return Group(Text(safe_lines(title), "bold"), "", grid((*rows, *common)))


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
        return Text("Nothing tells which language this is.", "dim")
    sure = "settled" if guess.settled else "not settled"
    return Text(f"{guess.language}  ({guess.confidence:.0%}, words {guess.words}, {sure})")


def _outcome_row(outcome: Outcome, _at: datetime | None) -> dict[str, Text]:
    return _row(
        outcome,
        domain=Text(safe_line(outcome.domain), "cyan"),
        score=_SCORES[outcome.score],
        note=Text(safe_line(outcome.note or "")),
    )


def _tally_row(tally: OutcomeTally, _at: datetime | None) -> dict[str, Text]:
    return {
        "domain": Text(safe_line(tally.domain), "cyan"),
        "project": Text(safe_line(tally.project or "")),
        "good": Text(f"{tally.good:,}", "green"),
        "neutral": Text(f"{tally.neutral:,}", "dim"),
        "bad": Text(f"{tally.bad:,}", "red"),
    }


def _lesson_row(lesson: Lesson, _at: datetime | None) -> dict[str, Text]:
    return _row(
        lesson,
        domain=Text(safe_line(lesson.domain), "cyan"),
        lesson=Text.assemble(safe_line(lesson.rule), (f" ×{lesson.occurrences:,}", "green")),
    )


def _observation_row(observation: Observation, _at: datetime | None) -> dict[str, Text]:
    return _row(
        observation,
        kind=Text(observation.type, "cyan"),
        title=Text(safe_line(observation.title)),
        where=Text(safe_line(observation.where or ""), "dim"),
    )


def _observation_hit_row(hit: ObservationHit, at: datetime | None) -> dict[str, Text]:
    return {"score": Text(f"{hit.score:.2f}", "bold"), **_observation_row(hit.observation, at)}


def _limitation_row(limitation: Limitation, _at: datetime | None) -> dict[str, Text]:
    style = "yellow" if limitation.resolved_at is None else "green"
    return _row(
        limitation,
        status=Text(limitation.status, style),
        title=Text.assemble(safe_line(limitation.title), (f" ×{limitation.reports:,}", "dim")),
        plan=Text(safe_line(limitation.plan or "")),
    )


def _usage_row(entry: UsageEntry, _at: datetime | None) -> dict[str, Text]:
    return _row(
        entry,
        model=Text(safe_line(entry.model), "cyan"),
        session=Text(safe_line(entry.session or "")),
        **{name: Text(f"{count:,}") for name, count in _tokens(entry).items()},
        cost=_money(entry.cost),
    )


def _summary_row(total: UsageSummary, _at: datetime | None) -> dict[str, Text]:
    return {
        "of": Text(safe_line(total.of or ""), "cyan"),
        "calls": Text(f"{total.calls:,}"),
        **{name: Text(f"{count:,}") for name, count in _tokens(total).items()},
        "cost": _money(total.cost),
        "unpriced": Text(f"{total.unpriced:,}" if total.unpriced else "", "yellow"),
    }


def _row(record: Record, **columns: Text) -> dict[str, Text]:
    head = {"id": Text(record.short_id, "dim"), "when": Text(f"{record.created_at:%Y-%m-%d}")}
    return {**head, **columns, "scope": Text(safe_line(str(record.scope)), "dim")}


def _tokens(counted: UsageEntry | UsageSummary) -> dict[str, int]:
    return {
        "in": counted.input,
        "out": counted.output,
        "cache read": counted.cache_read,
        "cache write": counted.cache_write,
    }


def _money(dollars: Decimal | None) -> Text:
    return Text("unknown", "yellow") if dollars is None else Text(f"${dollars:f}")


ROWS |= {
    Outcome: _outcome_row,
    OutcomeTally: _tally_row,
    Lesson: _lesson_row,
    Observation: _observation_row,
    ObservationHit: _observation_hit_row,
    Limitation: _limitation_row,
    UsageEntry: _usage_row,
    UsageSummary: _summary_row,
}
