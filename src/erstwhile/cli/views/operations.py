"""Views of learning attempts, transcripts, health checks and the audit trail."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.blocks.block import Block
from erstwhile.cli.safe_text import safe_lines
from erstwhile.cli.views.layout import BELOW, Row, cell, grid
from erstwhile.cli.views.records import body_text, describe, field_cells, one_line, row, table, view
from erstwhile.context.model import ContextReport
from erstwhile.conversations.conversation import Transcript
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.results import Hits, Page
from erstwhile.decisions.decision import Advice, Decision
from erstwhile.facts.fact import Fact, FactChange
from erstwhile.facts.held import Held
from erstwhile.learning.attempts import DONE, Attempt, AttemptOutcome, Observed
from erstwhile.learning.candidate import ChangeType
from erstwhile.learning.progress import LearningStatus
from erstwhile.operations.results import Diagnosis, Health, HealthCheck
from erstwhile.recall.hits import Hit, WhyNot
from erstwhile.storage.audit_chain import Verification

_OUTCOME_STYLES = {
    AttemptOutcome.LEARNED: "green",
    AttemptOutcome.HELD: "yellow",
    AttemptOutcome.FAILED: "yellow",
    AttemptOutcome.GIVEN_UP: "red",
}
_CHANGE_STYLES = {
    ChangeType.HOLD: "yellow",
    ChangeType.CONFLICT: "yellow",
    ChangeType.REFUSE: "red",
}
_ROLE_STYLES = {"user": "cyan", "assistant": "green", "system": "magenta", "tool": "yellow"}
_HEALTH_MARKS = {
    Health.OK: ("✓", "bold green"),
    Health.WARNING: ("!", "bold yellow"),
    Health.PROBLEM: ("✗", "bold red"),
    Health.SKIPPED: ("–", "dim"),
}


@view.register
def _attempt_view(attempt: Attempt, _at: datetime | None) -> RenderableType:
    counts = Counter(change.act for change in attempt.changes)
    changes = ", ".join(f"{count} {DONE[act]}" for act, count in counts.items())
    tokens = f"{attempt.input:,} in, {attempt.output:,} out" if attempt.input else None
    shown = (
        ("proposals", _change_lines(attempt)),
        ("method", attempt.method),
        ("reason", attempt.reason),
        ("conversation", attempt.conversation),
        ("messages", f"{attempt.first} to {attempt.last}"),
        ("tokens", tokens),
        ("id", attempt.id),
        ("scope", str(attempt.scope)),
        ("created", f"{attempt.created_at:%Y-%m-%d %H:%M:%S}"),
    )
    return Group(Text(f"{attempt.outcome}: {changes or 'no changes'}", "bold"), grid(shown))


@row.register
def _attempt_row(attempt: Attempt, _at: datetime | None) -> Row:
    return {
        "id": Text(attempt.short_id, "dim"),
        "when": Text(f"{attempt.created_at:%Y-%m-%d %H:%M}"),
        "outcome": _outcome(attempt),
        "by": cell(attempt.method, "cyan"),
        BELOW: attempt_result(attempt),
    }


def attempt_result(attempt: Attempt) -> Text:
    """Return a line for each proposal of an attempt, and the reason if it did not learn."""
    why = "" if attempt.outcome is AttemptOutcome.LEARNED else attempt.reason
    return Text("\n").join(filter(None, (_change_lines(attempt), cell(why, limit=300))))


def _change_lines(attempt: Attempt) -> Text:
    lines = list[Text]()
    for change in attempt.changes:
        done = cell(DONE[change.act], _CHANGE_STYLES.get(change.act, "green"))
        text = cell(change.text and f'"{change.text}"')
        lines.append(Text("  ").join(filter(None, (done, text, cell(change.because, "dim")))))
    return Text("\n").join(lines)


def _outcome(attempt: Attempt) -> Text:
    style = _OUTCOME_STYLES.get(attempt.outcome, "dim")
    return Text(attempt.outcome.replace("_", " "), style)


def count_outcomes(counts: Counter[str]) -> str:
    """Return the number of attempts, and of each outcome."""
    outcomes = [f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in counts.items()]
    return ", ".join([f"{counts.total():,} attempts", *outcomes])


def news_lines(news: Attempt | BackgroundFailure) -> Text:
    """Return the lines of an attempt or a failure, while learning runs."""
    if isinstance(news, BackgroundFailure):
        return Text(f"! {describe(news)}", "red")
    when = Text(f"{news.created_at:%H:%M:%S}", "dim")
    head = Text("  ").join((when, cell(str(news.scope), "dim"), _outcome(news)))
    lines = attempt_result(news).split("\n")
    return Text("\n").join((head, *(Text("  ") + line for line in lines if line)))


@view.register
def _learning_status_view(status: LearningStatus, at: datetime | None) -> RenderableType:
    no_model = "none available" if status.failing else "none: patterns alone"
    return grid([("model", status.model or no_model), *field_cells(status, at)])


@view.register
def _transcript_view(transcript: Transcript, at: datetime | None) -> RenderableType:
    parts: list[RenderableType] = [view(transcript.conversation, at), ""]
    for each in transcript.compactions:
        covered = f"{each.first:,}–{each.last:,}"
        parts.append(Text.assemble((f"{covered} in short: ", "dim"), safe_lines(each.summary)))
    if transcript.omitted:
        parts.append(Text(f"… and {transcript.omitted:,} more …", "dim"))
    for message in transcript.messages:
        role = (f"{message.role}: ", _ROLE_STYLES[message.role])
        parts.append(Text.assemble(role, safe_lines(message.content)))
    return Group(*parts)


@view.register
def _verification_view(found: Verification, _at: datetime | None) -> RenderableType:
    return Group(*verification_lines(found))


def verification_lines(found: Verification) -> list[Text]:
    """Return the result of verifying the audit trail, with one line for each problem."""
    checked = f"Entries checked: {found.entries:,}, stored states: {found.records:,}."
    if found.ok:
        return [Text.assemble(("✓ ", "bold green"), f"{checked} Everything fits the trail.")]
    lines = [Text("  ").append(cell(problem, "red")) for problem in dict.fromkeys(found.problems)]
    return [Text.assemble(("✗ ", "bold red"), f"{checked} There are problems:"), *lines]


@view.register
def _diagnosis_view(found: Diagnosis, _at: datetime | None) -> RenderableType:
    counts = Counter(each.health for each in found.checks)
    text = f"Problems: {counts[Health.PROBLEM]}, warnings: {counts[Health.WARNING]}."
    shown = Text(text, "bold green" if found.ok else "bold red").append(f" {found.location}", "dim")
    return Group(table(found.checks, None), shown)


@row.register
def _health_row(check: HealthCheck, _at: datetime | None) -> Row:
    found = cell(check.detail)
    if check.remedy:
        found.append(f"\n→ {cell(check.remedy).plain}", "cyan")
    return {"": Text(*_HEALTH_MARKS[check.health]), "check": cell(check.name), "found": found}


def result_lines(result: Any, at: datetime) -> list[Text]:
    """Return the lines of any result, in short, for the tour."""
    match result:
        case Page() | Hits() | [FactChange(), *_]:
            lines = [line for each in result for line in result_lines(each, at)]
            return lines or [Text("nothing", "yellow")]
        case Fact():
            return [one_line(result, at)]
        case Held():
            return [one_line(result.fact, at), Text(f"  why: {result.reason}", "dim")]
        case Hit():
            return [one_line(result.fact, at), Text(f"  why: {result.why}", "dim")]
        case Verification():
            return verification_lines(result)
        case Observed():
            return [
                Text(f"{each.outcome} by {each.method}: ") + attempt_result(each)
                for each in result.attempts
            ]
        case FactChange() | WhyNot() | ContextReport() | Block() | Decision() | Advice():
            return [Text(describe(result)), *filter(None, body_text(result).split())]
    return [Text(line or " ") for line in str(result).splitlines()]
