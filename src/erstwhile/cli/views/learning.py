"""What was learned, and what waits, as people like to read it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import ROWS, Rows, grid, second, view
from erstwhile.cli.views.records import record_view
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.daily_limit import tokens_of
from erstwhile.core.ids import short_id
from erstwhile.learning.attempt import Attempt, AttemptOutcome
from erstwhile.learning.change import Act
from erstwhile.learning.progress import LearningStatus, Waiting
from erstwhile.usage.entry import UsageSummary

_STYLES = {
    AttemptOutcome.LEARNED: "green",
    AttemptOutcome.FAILED: "yellow",
    AttemptOutcome.GIVEN_UP: "red",
}
_DONE = {
    Act.ADD: "added",
    Act.REPEAT: "repeated",
    Act.SUPERSEDE: "superseded",
    Act.END: "ended",
    Act.CONFLICT: "in conflict",
    Act.REFUSE: "refused",
}


@view.register
def _attempt_view(attempt: Attempt, _at: datetime | None) -> RenderableType:
    return record_view(
        attempt,
        f"{attempt.outcome}: {changes_told(attempt) or 'no changes'}",
        ("method", attempt.method),
        ("reason", attempt.reason),
        ("conversation", attempt.conversation),
        ("messages", f"{attempt.first} to {attempt.last}"),
        ("tokens", f"{attempt.input:,} in, {attempt.output:,} out" if attempt.input else None),
    )


@view.register
def _status_view(status: LearningStatus, _at: datetime | None) -> RenderableType:
    rows: Rows = (
        ("model", status.model or _no_model(status)),
        ("spent today", _spent(status.spent)),
        ("limit", status.limit),
        ("reached", Text(safe_line(status.reached), "yellow") if status.reached else None),
        ("waiting", f"{status.waiting:,} conversations"),
        ("put off", f"{status.put_off:,}" if status.put_off else None),
        ("next try", second(status.next_try) if status.next_try else None),
        ("failing", Text(safe_line(status.failing), "red") if status.failing else None),
        ("left alone until", second(status.left_alone_until) if status.left_alone_until else None),
        *((f"background {each.stage}", _failure(each)) for each in status.background),
    )
    return grid(rows)


def _failure(failure: BackgroundFailure) -> Text:
    told = ": ".join(filter(None, (failure.error, failure.message)))
    since, next_try = second(failure.since), second(failure.next_try)
    told += f"; failed {failure.times:,} times since {since}, next try {next_try}"
    return Text(safe_line(told), "red")


def _no_model(status: LearningStatus) -> str:
    """One that cannot be had is not replaced by patterns: what was said waits for it."""
    return "none that can be asked" if status.failing else "none: patterns alone"


def _spent(spent: UsageSummary) -> str:
    """What is not known of the cost is told, and not taken for nothing."""
    cost = [] if spent.cost is None else [f"{spent.cost:f} usd"]
    unknown = [f"{spent.unpriced:,} of them at an unknown price"] if spent.unpriced else []
    tokens, calls = f"{tokens_of(spent):,} tokens", f"in {spent.calls:,} calls"
    return ", ".join((tokens, *cost, calls, *unknown))


def changes_told(attempt: Attempt) -> str:
    """What became of the candidates, counted."""
    counts = Counter(change.act for change in attempt.changes)
    return ", ".join(f"{count} {_DONE[act]}" for act, count in counts.items())


def came_of(attempt: Attempt) -> str:
    """What it changed; and why, where that is not what it was for."""
    why = "" if attempt.outcome is AttemptOutcome.LEARNED else attempt.reason
    return "; ".join(filter(None, (changes_told(attempt), why)))


def _attempt_row(attempt: Attempt, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(attempt.short_id, "dim"),
        "when": Text(f"{attempt.created_at:%Y-%m-%d %H:%M}"),
        "outcome": Text(attempt.outcome.replace("_", " "), _STYLES.get(attempt.outcome, "dim")),
        "by": Text(safe_line(attempt.method), "cyan"),
        "what came of it": Text(safe_line(came_of(attempt), 300)),
    }


def _waiting_row(waiting: Waiting, _at: datetime | None) -> dict[str, Text]:
    later = waiting.try_at or waiting.leased_until
    return {
        "conversation": Text(short_id(waiting.conversation), "dim"),
        "scope": Text(safe_line(str(waiting.scope)), "dim"),
        "learned": Text(f"{waiting.learned:,} of {waiting.wanted:,}"),
        "tries": Text(f"{waiting.tries}"),
        "holder": Text(safe_line(waiting.holder or "")),
        "not before": Text(second(later) if later else ""),
    }


ROWS |= {Attempt: _attempt_row, Waiting: _waiting_row}
