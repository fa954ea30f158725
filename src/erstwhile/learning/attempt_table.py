"""The table of attempts. An attempt is added with its result; only an erasure changes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
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
from erstwhile.storage import columns, proposals
from erstwhile.storage.access import Access
from erstwhile.storage.record_table import RecordTable
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
        changes=tuple(_told(each) for each in changes),
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
    but: AttemptOutcome | None = None,
    position: int | None = None,
    since: str = LOWEST,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Attempt]:
    """Return attempts, newest first.

    `conversation` is a full id, `but` an outcome that they do not have, `position` the place of a
    message that they are about, and `since` the id of a record that is older.
    """
    filters = {
        "conversation": conversation,
        "outcome": None if outcome is None else choice(AttemptOutcome, outcome, name="outcome"),
        "but": but,
        "position": position,
        "since": since,
    }
    return ATTEMPTS.page(access, lambda _: filters, deleted=False, limit=limit, cursor=cursor)


class AttemptTable(RecordTable[Attempt]):
    """The table of attempts. An attempt is added with its result; only an erasure changes it."""

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
            "proposals": proposals.encode((each.text, each.quote) for each in item.changes),
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
            changes=_changes(row[10], row[11]),
            **head,
        )


ATTEMPTS = AttemptTable()


def _told(change: AttemptChange) -> AttemptChange:
    """Return a change with its words as they are stored."""
    words = proposals.shortened(change.text), proposals.shortened(change.quote)
    return replace(change, text=words[0], quote=words[1])


def _changes(stored: str, words: str) -> tuple[AttemptChange, ...]:
    changes = json.loads(stored)
    return tuple(
        AttemptChange(act=Act(act), fact=fact, because=because, rule=rule, text=text, quote=quote)
        for (act, fact, because, rule), (text, quote) in zip(
            changes, proposals.decode(words, len(changes)), strict=True
        )
    )
