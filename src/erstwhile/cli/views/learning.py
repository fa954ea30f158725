"""Views of learning: its attempts, its status, and findings of the guard."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from erstwhile.cli.commands.guard import Finding
from erstwhile.cli.views.layout import (
    Fields,
    Row,
    cell,
    grid,
    record_view,
    row,
    scope_cell,
    second,
    view,
)
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.daily_limit import tokens_of
from erstwhile.core.ids import short_id
from erstwhile.learning.attempts import DONE, Attempt, AttemptChange, AttemptOutcome
from erstwhile.learning.candidate import Act
from erstwhile.learning.progress import LearningStatus, Waiting
from erstwhile.usage.entry import UsageSummary

_STYLES = {
    AttemptOutcome.LEARNED: "green",
    AttemptOutcome.HELD: "yellow",
    AttemptOutcome.FAILED: "yellow",
    AttemptOutcome.GIVEN_UP: "red",
}
_GUARD_STYLES = {"redact": "yellow", "hold": "bold yellow", "refuse": "bold red"}
_CHANGE_STYLES = {Act.HOLD: "yellow", Act.CONFLICT: "yellow", Act.REFUSE: "red"}


@view.register
def _attempt_view(attempt: Attempt, _at: datetime | None) -> RenderableType:
    return record_view(
        attempt,
        f"{attempt.outcome}: {count_changes(attempt) or 'no changes'}",
        ("proposals", _change_lines(attempt)),
        ("method", attempt.method),
        ("reason", attempt.reason),
        ("conversation", attempt.conversation),
        ("messages", f"{attempt.first} to {attempt.last}"),
        ("tokens", f"{attempt.input:,} in, {attempt.output:,} out" if attempt.input else None),
    )


@view.register
def _status_view(status: LearningStatus, _at: datetime | None) -> RenderableType:
    fields: Fields = (
        ("model", status.model or _no_model(status)),
        ("spent today", _spent(status.spent)),
        ("limit", status.limit),
        ("reached", cell(status.reached, "yellow") if status.reached else None),
        ("waiting", f"{status.waiting:,} conversations"),
        ("put off", f"{status.put_off:,}" if status.put_off else None),
        ("next try", second(status.next_try)),
        ("failing", cell(status.failing, "red") if status.failing else None),
        ("left alone until", second(status.left_alone_until)),
        *((f"background {each.stage}", _failure(each)) for each in status.background),
    )
    return grid(fields)


def _failure(failure: BackgroundFailure) -> Text:
    text = ": ".join(filter(None, (failure.error, failure.message)))
    since, next_try = second(failure.since), second(failure.next_try)
    text += f"; failed {failure.times:,} times since {since}, next try {next_try}"
    return cell(text, "red")


def _no_model(status: LearningStatus) -> str:
    """Return why there is no model. If it only fails, patterns do not replace it."""
    return "none available" if status.failing else "none: patterns alone"


def _spent(spent: UsageSummary) -> str:
    """Return the tokens and the cost, with the number of calls of unknown price."""
    cost = [] if spent.cost is None else [f"{spent.cost:f} usd"]
    unknown = [f"{spent.unpriced:,} of them at an unknown price"] if spent.unpriced else []
    tokens, calls = f"{tokens_of(spent):,} tokens", f"in {spent.calls:,} calls"
    return ", ".join((tokens, *cost, calls, *unknown))


def count_changes(attempt: Attempt) -> str:
    """Return how many candidates were added, repeated, refused and so on."""
    counts = Counter(change.act for change in attempt.changes)
    return ", ".join(f"{count} {DONE[act]}" for act, count in counts.items())


def attempt_result(attempt: Attempt) -> Text:
    """Return a line for each proposal of an attempt, and the reason if it did not learn."""
    lines = _change_lines(attempt)
    why = "" if attempt.outcome is AttemptOutcome.LEARNED else attempt.reason
    return Text("\n").join(filter(None, (lines, cell(why, limit=300))))


def _change_lines(attempt: Attempt) -> Text:
    """Return for each proposal what was done, what it said, and why."""
    return Text("\n").join(map(_change_line, attempt.changes))


def _change_line(change: AttemptChange) -> Text:
    parts = (
        cell(DONE[change.act], _CHANGE_STYLES.get(change.act, "green")),
        cell(change.text and f'"{change.text}"'),
        cell(change.because, "dim"),
    )
    return Text("  ").join(filter(None, parts))


def count_outcomes(counts: Counter[str]) -> str:
    """Return the number of attempts, and of each outcome."""
    outcomes = [f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in counts.items()]
    return ", ".join([f"{counts.total():,} attempts", *outcomes])


def news_lines(news: Attempt | BackgroundFailure) -> Text:
    """Return what is shown while learning goes on: a failure, or when, for whom and what."""
    if isinstance(news, BackgroundFailure):
        return Text.assemble((f"! {news.stage}: ", "bold red"), _failure(news))
    return _attempt_lines(news)


def _attempt_lines(attempt: Attempt) -> Text:
    head = Text("  ").join(
        (
            Text(f"{attempt.created_at:%H:%M:%S}", "dim"),
            scope_cell(attempt.scope),
            _outcome(attempt),
        )
    )
    lines = attempt_result(attempt).split("\n")
    return Text("\n").join((head, *(Text("  ") + line for line in lines if line)))


def _outcome(attempt: Attempt) -> Text:
    return Text(attempt.outcome.replace("_", " "), _STYLES.get(attempt.outcome, "dim"))


@row.register
def _attempt_row(attempt: Attempt, _at: datetime | None) -> Row:
    return {
        "id": Text(attempt.short_id, "dim"),
        "when": Text(f"{attempt.created_at:%Y-%m-%d %H:%M}"),
        "outcome": _outcome(attempt),
        "by": cell(attempt.method, "cyan"),
        "what came of it": attempt_result(attempt),
    }


@row.register
def _waiting_row(waiting: Waiting, _at: datetime | None) -> Row:
    later = waiting.try_at or waiting.leased_until
    return {
        "conversation": Text(short_id(waiting.conversation), "dim"),
        "scope": scope_cell(waiting.scope),
        "learned": Text(f"{waiting.learned:,} of {waiting.wanted:,}"),
        "tries": Text(f"{waiting.tries}"),
        "holder": cell(waiting.holder or ""),
        "not before": cell(second(later) if later else ""),
    }


@row.register
def _finding_row(found: Finding, _at: datetime | None) -> Row:
    return {
        "line": Text("" if found.line is None else f"{found.line}", "dim"),
        "action": Text(found.action, _GUARD_STYLES.get(found.action, "")),
        "rule": Text(found.rule, "cyan"),
        "reason": cell(found.reason),
    }
