"""Attempts to learn from turns: their messages, outcomes and changes, and their table.

An attempt is added with its result; only an erasure changes it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import Any

from erstwhile.conversations.conversation import Message
from erstwhile.core.ids import MIN_ID, new_id
from erstwhile.core.kinds import Kind, choice
from erstwhile.core.ports import Row, Tokens
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import Page
from erstwhile.learning.candidate import ChangeType
from erstwhile.learning.progress import PendingTurn
from erstwhile.storage import columns, proposals
from erstwhile.storage.access import Access
from erstwhile.storage.columns import Codec, RowType
from erstwhile.storage.erasure import own
from erstwhile.storage.record import Record
from erstwhile.storage.table import RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.usage.prices import in_dollars, in_nanos

PATTERNS, CAPPED = "patterns", "capped"
"""The methods of an attempt without a model: there is none, or its daily limit was reached."""


class AttemptOutcome(StrEnum):
    """The outcome of an attempt."""

    LEARNED = "learned"
    """Memory changed, or the content was known already."""
    HELD = "held"
    """Something was proposed and held in quarantine, and memory did not change otherwise."""
    NOTHING = "nothing"
    """The turn was read, and contains nothing to keep."""
    NOT_SALIENT = "not_salient"
    """The turn was not read, because it probably contains nothing to keep."""
    FAILED = "failed"
    """The attempt failed, and the turn will be tried again."""
    GIVEN_UP = "given_up"
    """The turn failed too often and was given up."""


DONE = {
    ChangeType.ADD: "added",
    ChangeType.REPEAT: "repeated",
    ChangeType.SUPERSEDE: "superseded",
    ChangeType.END: "ended",
    ChangeType.CONFLICT: "in conflict",
    ChangeType.HOLD: "held",
    ChangeType.REFUSE: "refused",
}
"""What became of a proposal, in the words of a report."""


_STORING = (ChangeType.ADD, ChangeType.SUPERSEDE, ChangeType.CONFLICT)


@public_record
class AttemptChange(PublicRecord):
    """The result for one candidate: what was proposed, what was done, and why."""

    act: ChangeType
    fact: str | None
    """The id of the fact that was added or changed."""
    because: str = ""
    """The rule that decided the change."""
    rule: str = ""
    """The rules of the guard that matched, if any."""
    text: str = ""
    """The proposed statement, masked and shortened; empty after an erasure."""
    quote: str = ""
    """The words of the turn that it rests on, masked and shortened; empty after an erasure."""
    kind: Kind | None = None
    """The kind of the proposed fact; None of what only ends, and of a refused proposal."""

    def __str__(self) -> str:
        said = f' "{self.text}"' if self.text else ""
        return f"{DONE[self.act]}{said}" + (f": {self.because}" if self.because else "")


def refusal(text: str, quote: str, because: str, rule: str) -> AttemptChange:
    """Return the result for a proposal that is not followed."""
    return AttemptChange(
        act=ChangeType.REFUSE, fact=None, because=because, rule=rule, text=text, quote=quote
    )


@public_record
class Attempt(Record):
    """An attempt to learn from the messages `first` to `last`.

    It stores their ids, and the statements that were proposed. Erasing one of the messages, or a
    proposed fact, removes the statements. `cost` is in dollars; None means that the price is
    unknown.
    """

    _shown = ("short_id", "outcome", "method", "reason")
    conversation: str
    first: int
    last: int
    messages: tuple[str, ...]
    outcome: AttemptOutcome
    method: str
    """The extractor: "patterns", "llm:MODEL", "capped" (patterns, because the daily limit of the
    model was reached) or "none"."""
    reason: str | None
    input: int
    output: int
    cost: Decimal | None
    changes: tuple[AttemptChange, ...]


@public_record
class Observed(PublicRecord):
    """The stored messages of the user, the tools and the assistant."""

    _shown = ("user.content", "assistant.content")
    user: Message
    tools: tuple[Message, ...]
    assistant: Message
    attempts: tuple[Attempt, ...] = ()
    """The attempts to learn from the turn; empty unless the caller waited for them."""

    @property
    def conversation(self) -> str:
        """The id of the conversation."""
        return self.user.conversation

    @property
    def instructions(self) -> tuple[AttemptChange, ...]:
        """The standing instructions that the turn gave: they are in every context from now on."""
        changes = (change for attempt in self.attempts for change in attempt.changes)
        return tuple(
            each for each in changes if each.kind is Kind.INSTRUCTION and each.act in _STORING
        )


@public_record
class ObservedMessages(PublicRecord):
    """The new messages of a list, and the number of those that were stored before."""

    conversation: str
    """The id of the conversation."""
    messages: tuple[Message, ...]
    known: int
    attempts: tuple[Attempt, ...] = ()
    """The attempts to learn from the new messages; empty unless the caller waited for them."""


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
        changes=tuple(
            replace(
                each, text=proposals.shortened(each.text), quote=proposals.shortened(each.quote)
            )
            for each in changes
        ),
    )
    return ATTEMPTS.add(unit, attempt, "add")


def listed(
    access: Access,
    *,
    conversation: str | None = None,
    outcome: AttemptOutcome | str | None = None,
    but: AttemptOutcome | None = None,
    position: int | None = None,
    since: str = MIN_ID,
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


def missed(view: View, conversation: str | None) -> list[Attempt]:
    """Return the attempts that the daily limit kept from the model, the oldest first.

    An attempt whose turn a model read later is left out.
    """
    rows = view.rows("missed_attempts", {"conversation": conversation}, own(view))
    return [ATTEMPTS.to_item(view, row) for row in rows]


def is_missed(view: View, attempt: Attempt) -> bool:
    """Return whether no model has read the turn of a missed attempt meanwhile."""
    return attempt.id in {each.id for each in missed(view, attempt.conversation)}


def _encode_changes(changes: Sequence[AttemptChange]) -> str:
    """Encode the changes without their texts, which have a column of their own."""
    return columns.encode(
        [[each.act, each.fact, each.because, each.rule, each.kind] for each in changes]
    )


def _decode_changes(stored: str) -> tuple[AttemptChange, ...]:
    return tuple(
        AttemptChange(
            act=ChangeType(act), fact=fact, because=because, rule=rule, kind=kind and Kind(kind)
        )
        for act, fact, because, rule, kind in json.loads(stored)
    )


class AttemptTable(RecordTable[Attempt]):
    """The table of attempts. An attempt is added with its result; only an erasure changes it."""

    noun = "attempt"
    name = "attempts"
    listed = "learning.attempts"
    row_type = RowType(
        Attempt,
        "attempt",
        codecs={
            "cost": Codec(in_nanos, in_dollars),
            "changes": Codec(_encode_changes, _decode_changes),
        },
    )

    def parts(self, item: Attempt) -> dict[str, Any]:
        return {"proposals": proposals.encode((each.text, each.quote) for each in item.changes)}

    def to_item(self, view: View, row: Row) -> Attempt:
        attempt = super().to_item(view, row)
        words = proposals.decode(row[-1], len(attempt.changes))
        pairs = zip(attempt.changes, words, strict=True)
        changes = tuple(replace(each, text=text, quote=quote) for each, (text, quote) in pairs)
        return replace(attempt, changes=changes)


ATTEMPTS = AttemptTable()
