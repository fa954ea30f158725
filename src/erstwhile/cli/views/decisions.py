"""Decisions as people like to read them."""

from __future__ import annotations

import json
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import ROWS, Rows, grid, second, table, view
from erstwhile.decisions.decision import Advice, Decision, DecisionHit

_STYLES = {"allow": "bold green", "deny": "bold red", "observe": "blue", "ask": "bold yellow"}


@view.register
def _decision_view(said: Decision, _at: datetime | None) -> RenderableType:
    outcome = said.outcome
    judged = {None: "", True: "good: ", False: "bad: "}[outcome.good] if outcome else ""
    rows: Rows = (
        ("id", said.id),
        ("goal", said.goal),
        ("turn", str(said.turn) if said.turn else None),
        ("scope", str(said.scope)),
        ("input", json.dumps(said.input, ensure_ascii=False)),
        ("message", said.message),
        ("rationale", said.rationale),
        ("considered", ", ".join(said.options)),
        ("decided by", f"{said.decided_by}{', after a failure' if said.transient else ''}"),
        ("decided", second(said.decided_at) if isinstance(said.decided_at, datetime) else None),
        ("lasts", said.lasts),
        ("outcome", f"{judged}{outcome.text}" if outcome else None),
        ("superseded by", said.superseded_by),
        ("because", said.superseded_because),
    )
    return Group(Text.assemble(_choice(said), f" {safe_line(said.tool)}"), "", grid(rows))


@view.register
def _advice_view(advice: Advice, at: datetime | None) -> RenderableType:
    word = advice.suggestion.value
    told = Text.assemble((word, _STYLES[word]), f": {safe_line(advice.reason)}")
    return Group(told, table(advice.precedents, at)) if advice.precedents else told


def _decision_row(said: Decision, _at: datetime | None) -> dict[str, Text]:
    decided = said.decided_at
    return {
        "id": Text(said.short_id, "dim"),
        "when": Text(second(decided) if isinstance(decided, datetime) else ""),
        "choice": _choice(said),
        "tool": Text(safe_line(said.tool), "cyan"),
        "input": Text(safe_line(json.dumps(said.input, ensure_ascii=False))),
        "message": Text(safe_line(said.message)),
        "by": Text(str(said.decided_by)),
        "scope": Text(safe_line(str(said.scope)), "dim"),
    }


def _hit_row(hit: DecisionHit, at: datetime | None) -> dict[str, Text]:
    like = Text(f"{hit.score:.2f} {hit.found_by}", "bold")
    return {"like it": like, **_decision_row(hit.decision, at)}


ROWS |= {Decision: _decision_row, DecisionHit: _hit_row}


def _choice(said: Decision) -> Text:
    word = str(said.choice)
    ended = " (superseded)" if said.superseded_by else ""
    return Text.assemble((word, _STYLES[word]), ended)
