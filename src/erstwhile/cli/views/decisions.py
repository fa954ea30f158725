"""Views of decisions and advice."""

from __future__ import annotations

import json
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import Fields, Row, cell, grid, row, scope_cell, second, table, view
from erstwhile.decisions.decision import Advice, Decision, DecisionHit

_STYLES = {"allow": "bold green", "deny": "bold red", "observe": "blue", "ask": "bold yellow"}


@view.register
def _decision_view(decision: Decision, _at: datetime | None) -> RenderableType:
    outcome = decision.outcome
    rating = {None: "", True: "good: ", False: "bad: "}[outcome.good] if outcome else ""
    fields: Fields = (
        ("id", decision.id),
        ("goal", decision.goal),
        ("turn", str(decision.turn) if decision.turn else None),
        ("scope", str(decision.scope)),
        ("input", json.dumps(decision.input, ensure_ascii=False)),
        ("message", decision.message),
        ("rationale", decision.rationale),
        ("considered", ", ".join(decision.options)),
        ("decided by", _decided_by(decision)),
        ("decided", _decided(decision)),
        ("lasts", decision.lasts),
        ("outcome", f"{rating}{outcome.text}" if outcome else None),
        ("superseded by", decision.superseded_by),
        ("because", decision.superseded_because),
    )
    return Group(Text.assemble(_choice(decision), f" {safe_line(decision.tool)}"), "", grid(fields))


@view.register
def _advice_view(advice: Advice, at: datetime | None) -> RenderableType:
    word = advice.suggestion.value
    shown = Text.assemble((word, _STYLES[word]), f": {safe_line(advice.reason)}")
    return Group(shown, table(advice.precedents, at)) if advice.precedents else shown


@row.register
def _decision_row(decision: Decision, _at: datetime | None) -> Row:
    return {
        "id": cell(decision.short_id, "dim"),
        "when": cell(_decided(decision)),
        "choice": _choice(decision),
        "tool": cell(decision.tool, "cyan"),
        "input": cell(json.dumps(decision.input, ensure_ascii=False)),
        "message": cell(decision.message),
        "by": cell(decision.decided_by),
        "scope": scope_cell(decision.scope),
    }


@row.register
def _hit_row(hit: DecisionHit, at: datetime | None) -> Row:
    similarity = Text(f"{hit.score:.2f} {hit.found_by}", "bold")
    return {"like it": similarity, **_decision_row(hit.decision, at)}


def _decided_by(decision: Decision) -> str:
    after = ", after a failure" if decision.transient else ""
    return f"{decision.decided_by}{after}{'' if decision.vouched else ', says a file'}"


def _decided(decision: Decision) -> str:
    return second(decision.decided_at) if isinstance(decision.decided_at, datetime) else ""


def _choice(decision: Decision) -> Text:
    word = str(decision.choice)
    ended = " (superseded)" if decision.superseded_by else ""
    return Text.assemble((word, _STYLES[word]), ended)
