"""The table of attempts. An attempt is added with its result and never changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from erstwhile.core.ids import LOWEST, new_id
from erstwhile.core.kinds import choice
from erstwhile.core.page import Page
from erstwhile.core.ports import Row
from erstwhile.core.tokens import Tokens
from erstwhile.learning.attempt import Attempt, AttemptChange, AttemptOutcome
from erstwhile.learning.change import Act
from erstwhile.learning.progress import PendingTurn
from erstwhile.storage import columns
from erstwhile.storage.access import Access
from erstwhile.storage.table import RecordTable
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
    """Add an attempt at a turn, in the scope of its conversation."""
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
    return ATTEMPTS.add(unit, attempt, "add")


def get(access: Access, id: str) -> Attempt:
    """Return an attempt by its id."""
    return ATTEMPTS.get(access, id)


def listed(
    access: Access,
    *,
    conversation: str | None = None,
    outcome: AttemptOutcome | str | None = None,
    since: str = LOWEST,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Attempt]:
    """Return attempts, newest first; `conversation` is a full id, `since` the id of a record."""
    filters = {
        "conversation": conversation,
        "outcome": None if outcome is None else choice(AttemptOutcome, outcome, name="outcome"),
        "since": since,
    }
    return ATTEMPTS.page(access, lambda _: filters, deleted=False, limit=limit, cursor=cursor)


class AttemptTable(RecordTable[Attempt]):
    """The table of attempts. An attempt is added with its result and never changes."""

    noun = "attempt"
    name = "attempts"
    listed = "learning.attempts"
    adding = "add_attempt"

    def fields(self, item: Attempt) -> dict[str, Any]:
        return {
            "conversation": item.conversation,
            "first": item.first,
            "last": item.last,
            "messages": columns.encode(item.messages),
            "outcome": item.outcome,
            "method": item.method,
            "reason": item.reason,
            "input": item.input,
            "output": item.output,
            "cost": None if item.cost is None else in_nanos(item.cost),
            "changes": columns.encode(
                [[each.act, each.fact, each.because, each.rule] for each in item.changes]
            ),
        }

    def build(self, row: Row, head: dict[str, Any]) -> Attempt:
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


ATTEMPTS = AttemptTable()


def _change(act: str, fact: str | None, because: str, rule: str) -> AttemptChange:
    return AttemptChange(act=Act(act), fact=fact, because=because, rule=rule)
