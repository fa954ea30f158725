"""Attempts to learn as records: one is added with what it led to, and never changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from erstwhile.core.ids import new_id
from erstwhile.core.kinds import choice
from erstwhile.core.page import Page
from erstwhile.core.ports import Row
from erstwhile.core.tokens import Tokens
from erstwhile.learning.attempt import Attempt, AttemptChange, AttemptOutcome
from erstwhile.learning.change import Act
from erstwhile.learning.progress import PendingTurn
from erstwhile.storage import columns, record_table
from erstwhile.storage.access import Access
from erstwhile.storage.record_table import Table
from erstwhile.storage.unit import Unit
from erstwhile.usage.entry import in_dollars, in_nanos


def add(
    unit: Unit,
    turn: PendingTurn,
    outcome: AttemptOutcome,
    *,
    method: str,
    reason: str | None = None,
    tokens: Tokens | None = None,
    cost: Decimal | None = None,
    changes: Sequence[AttemptChange] = (),
) -> Attempt:
    """Note how an attempt at a turn went, in the scope of its conversation."""
    spent = tokens or Tokens()
    attempt = Attempt(
        id=new_id(unit.now),
        scope=turn.scope,
        created_at=unit.now,
        changed_at=unit.now,
        conversation=turn.conversation,
        first=turn.first,
        last=turn.last,
        messages=turn.ids,
        outcome=outcome,
        method=method,
        reason=reason,
        input=spent.input + spent.cache_read + spent.cache_write,
        output=spent.output,
        cost=None if cost is None else in_dollars(in_nanos(cost)),
        changes=tuple(changes),
    )
    return record_table.add(unit, _TABLE, attempt, "add")


def get(access: Access, id: str) -> Attempt:
    return record_table.get(access, _TABLE, id)


def listed(
    access: Access,
    *,
    conversation: str | None = None,
    outcome: AttemptOutcome | str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Attempt]:
    """Attempts, newest first; `conversation` is its whole id."""
    wanted = {
        "conversation": conversation,
        "outcome": None if outcome is None else choice(AttemptOutcome, outcome, name="outcome"),
    }
    return record_table.listed(
        access, _TABLE, lambda _: wanted, deleted=False, limit=limit, cursor=cursor
    )


def _fields(attempt: Attempt) -> dict[str, Any]:
    return {
        "conversation": attempt.conversation,
        "first": attempt.first,
        "last": attempt.last,
        "messages": columns.encode(attempt.messages),
        "outcome": attempt.outcome,
        "method": attempt.method,
        "reason": attempt.reason,
        "input": attempt.input,
        "output": attempt.output,
        "cost": None if attempt.cost is None else in_nanos(attempt.cost),
        "changes": columns.encode(
            [[each.act, each.fact, each.because, each.rule] for each in attempt.changes]
        ),
    }


def _read(row: Row, head: dict[str, Any]) -> Attempt:
    return Attempt(
        conversation=row[0],
        first=row[1],
        last=row[2],
        messages=tuple(json.loads(row[3])),
        outcome=AttemptOutcome(row[4]),
        method=row[5],
        reason=row[6],
        input=row[7],
        output=row[8],
        cost=None if row[9] is None else in_dollars(row[9]),
        changes=tuple(_change(*each) for each in json.loads(row[10])),
        **head,
    )


def _change(act: str, fact: str | None, because: str, rule: str) -> AttemptChange:
    return AttemptChange(act=Act(act), fact=fact, because=because, rule=rule)


_TABLE: Table[Attempt] = Table(
    noun="attempt",
    name="attempts",
    listed="learning.attempts",
    adding="add_attempt",
    fields=_fields,
    read=_read,
)
