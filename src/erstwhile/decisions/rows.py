"""Conversion between decisions and rows. The hook loads it, but not `table.py`."""

from __future__ import annotations

import json
from datetime import datetime
from operator import itemgetter
from typing import Any

from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros, to_micros
from erstwhile.decisions.decision import (
    Choice,
    Coverage,
    Decider,
    Decision,
    DecisionOutcome,
    Lasting,
)
from erstwhile.decisions.tool_input import Digests, compared_text, to_json
from erstwhile.storage import columns

state_of = itemgetter(
    "key", "goal", "goal_digest", "turn", "tool", "input", "digest", "covers", "text", "choice",
    "message", "rationale", "options", "decided_by", "decided_at", "lasts", "transient",
    "recorded_at", "outcome", "outcome_good", "outcome_at", "superseded_by", "superseded_because",
    "deleted_at",
)  # fmt: skip
"""The columns in the audit digest, in the order of the statement `stored_decisions`."""


@columns.decodes("decision", id_at=1)
def to_decision(row: Row) -> Decision:
    """Make a decision from a row of the fragment `decision_columns`.

    An unknown value, from a later version, is read as the value that permits least.
    """
    return Decision(
        id=row[1],
        scope=columns.to_scope(*row[2:6]),
        goal=row[6],
        turn=row[7],
        tool=row[8],
        input=json.loads(row[9]),
        choice=known(Choice, row[10], Choice.DENY),
        message=row[11],
        rationale=row[12],
        options=tuple(json.loads(row[13])),
        decided_by=known(Decider, row[14], Decider.MODEL),
        decided_at=from_micros(row[15]),
        lasts=known(Lasting, row[16], Lasting.ONCE),
        transient=bool(row[17]),
        recorded_at=from_micros(row[18]),
        outcome=_outcome(*row[19:22]),
        superseded_by=row[22],
        superseded_because=row[23],
        deleted_at=columns.moment(row[24]),
        key=row[25],
        covers=known(Coverage, row[26], Coverage.INPUT),
        vouched=bool(row[27]),
    )


def to_row(decision: Decision, digests: Digests, scope: int, changed_at: int) -> dict[str, Any]:
    """Return the parameters of the statements `add_decision` and `change_decision`."""
    input_text, outcome = to_json(decision.input), decision.outcome
    return {
        "id": decision.id,
        "scope": scope,
        "key": decision.key,
        "goal": decision.goal,
        "goal_digest": digests.goal,
        "turn": decision.turn,
        "tool": decision.tool,
        "input": input_text,
        "digest": digests.input,
        "covers": decision.covers,
        "text": compared_text(decision.tool, input_text),
        "choice": decision.choice,
        "message": decision.message,
        "rationale": decision.rationale,
        "options": columns.encode(decision.options),
        "decided_by": decision.decided_by,
        "decided_at": _micros(decision.decided_at),
        "lasts": decision.lasts,
        "transient": int(decision.transient),
        "recorded_at": _micros(decision.recorded_at),
        "changed_at": changed_at,
        "outcome": outcome and outcome.text,
        "outcome_good": None if outcome is None or outcome.good is None else int(outcome.good),
        "outcome_at": outcome and to_micros(outcome.at),
        "superseded_by": decision.superseded_by,
        "superseded_because": decision.superseded_because,
        "deleted_at": columns.micros(decision.deleted_at),
        "vouched": int(decision.vouched),
    }


def known(words: Any, stored: str, otherwise: Any) -> Any:
    """Return the word of an enumeration; the other one for a word of a later version."""
    return words(stored) if stored in words.__members__.values() else otherwise


def _outcome(text: str | None, good: int | None, at: int | None) -> DecisionOutcome | None:
    if text is None or at is None:
        return None
    return DecisionOutcome(text=text, good=None if good is None else bool(good), at=from_micros(at))


def _micros(moment: object) -> int:
    assert isinstance(moment, datetime)  # noqa: S101  (`add` sets it)
    return to_micros(moment)
