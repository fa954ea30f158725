"""Views of the results of the tour."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.text import Text

from erstwhile.blocks.block import Block
from erstwhile.cli.views.facts import one_line
from erstwhile.cli.views.learning import attempt_result
from erstwhile.cli.views.store import verification_lines
from erstwhile.context.model import ContextReport
from erstwhile.core.hits import Hits
from erstwhile.core.page import Page
from erstwhile.decisions.decision import Advice, Decision
from erstwhile.facts.fact import Fact, FactChange
from erstwhile.facts.held import Held
from erstwhile.learning.attempts import Observed
from erstwhile.recall.hits import Hit, WhyNot
from erstwhile.storage.audit_chain import Verification


def outcome(result: Any, at: datetime) -> list[Text]:
    """Return the lines of a result. `at` is the time that the scene is about."""
    match result:
        case Page() | Hits() as found:
            lines = [line for each in found for line in outcome(each, at)]
            return lines or [Text("nothing", "yellow")]
        case Fact() as fact:
            return [one_line(fact, at)]
        case Held() as held:
            return [one_line(held.fact, at), Text(f"  why: {held.reason}", "dim")]
        case Hit() as hit:
            return [one_line(hit.fact, at), Text(f"  why: {hit.why}", "dim")]
        case Verification() as found:
            return verification_lines(found)
        case [*changes] if changes and isinstance(changes[0], FactChange):
            return [Text(_retold(change)) for change in changes]
    return [Text(line or " ") for line in _words(result).splitlines()]


def _words(result: Any) -> str:
    match result:
        case WhyNot() as found:
            return f"{found.reason}: {found.detail}"
        case Block() as block:
            return f"{block.name}, version {block.version}: {block.content}"
        case Decision() as decision:
            return f"{decision.short_id}  {decision.choice}: {decision.input}"
        case Advice() as advice:
            return f"{advice.suggestion}: {advice.reason}"
        case Observed() as seen:
            return "\n".join(
                f"{each.outcome} by {each.method}: {attempt_result(each).plain}"
                for each in seen.attempts
            )
        case ContextReport() as report:
            return _spent(report)
    return str(result)


def _retold(change: FactChange) -> str:
    why = f" ({change.reason})" if change.reason else ""
    return f"{change.at:%Y-%m-%d} {change.actor} {change.action}: {change.fact.text}{why}"


def _spent(report: ContextReport) -> str:
    shares = ", ".join(f"{name} {tokens}" for name, tokens in report.sections.items())
    left = [f"left out ({each.reason}): {each.text}" for each in report.left_out]
    return "\n".join([f"{report.tokens} of {report.budget} tokens: {shares}", *left])
