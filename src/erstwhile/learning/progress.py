"""The progress of learning per conversation, and the lease for the next turn.

A learner takes a lease with a token, so that a conversation never has two learners. The cursor
moves in the transaction that stores the result, and each message is marked there. So no message is
learned twice, even if it is undone, copied to a branch or tried again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING

from erstwhile.conversations.conversation import Message, Role
from erstwhile.conversations.messages import last_messages, to_message, tool_spoke
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.errors import ConflictError
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import NEWEST
from erstwhile.core.scope import Scope, to_scope
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage.columns import Codec, RowType
from erstwhile.storage.erasure import own
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.usage.prices import UsageSummary

if TYPE_CHECKING:
    from erstwhile.learning.attempts import Attempt


@public_record
class Waiting(PublicRecord):
    """A conversation with pending messages: the positions after `learned`, up to `wanted`."""

    conversation: str
    scope: Scope
    learned: int
    wanted: int
    tries: int
    """The number of failures of the next turn."""
    try_at: datetime | None
    """The earliest time of the next try."""
    holder: str | None
    """The process that has the lease."""
    leased_until: datetime | None
    """The end of the lease."""
    with_model: bool = False
    """Whether the last requester has a language model. Processes without a model then skip it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningLease:
    """The exclusive right to learn from a conversation; the token proves it."""

    conversation: str
    scope: Scope
    learned: int
    wanted: int
    tries: int
    holder: str
    token: str
    leased_until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingTurn:
    """The stored messages of the next turn: from one message of the user up to the next."""

    conversation: str
    scope: Scope
    messages: tuple[Message, ...]
    before: tuple[Message, ...] = ()
    """The turn before, for the context. It was learned from already."""
    after_tools: bool = False
    """Whether a tool spoke in the conversation before all of these messages."""

    @property
    def first(self) -> int:
        return self.messages[0].position

    @property
    def last(self) -> int:
        return self.messages[-1].position

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the messages; of a copy, the id of the original."""
        return tuple(message.copy_of or message.id for message in self.messages)


@public_record
class LearningStatus(PublicRecord):
    """The status of learning in this scope; for a memory without a scope, in all scopes."""

    model: str | None
    """The language model; None if only patterns are used, or if it cannot be created."""
    spent: UsageSummary
    """The spending today in UTC: in all scopes if this memory has none, else the visible part."""
    limit: str
    """The limit per day for all scopes together."""
    reached: str
    """The limit that is reached, so that only patterns are used until midnight; else empty."""
    waiting: int
    """The number of conversations that can be learned from now."""
    put_off: int
    """The number of conversations that are leased, or are tried again later."""
    next_try: datetime | None
    """The time when the first of the leased or delayed conversations is due; None without any."""
    failing: str | None
    """Why the newest attempt failed, or why the model cannot be created; else None."""
    left_alone_until: datetime | None
    """The time until which this process does not call the model, after several failures in a row.

    After this time, one call tries the model again. The value stays until a call succeeds. It is
    None if the model may be called.
    """
    background: tuple[BackgroundFailure, ...] = ()
    """The background jobs of this process that fail now (learning and others), in all scopes."""


_NEVER_IF_ZERO = Codec(to_micros, from_micros, (None, 0))
_WAITING = RowType(
    Waiting,
    "progress of the conversation",
    codecs={"try_at": _NEVER_IF_ZERO, "leased_until": _NEVER_IF_ZERO},
)
_PAGE = 100
_EVERYTHING = 2**31 - 1
_CONTEXT = 20
"""The most messages that are read of the turn before."""


def want(
    unit: Unit, conversation: str, scope: Scope, through: int, *, with_model: bool = False
) -> None:
    """Request learning from a conversation up to this position, perhaps with a model."""
    place = {"conversation": conversation, "scope": unit.scope_id(scope), "through": through}
    unit.run("want_learning", {**place, "with_model": int(with_model)})


def want_all(unit: Unit, conversation: str | None = None, *, with_model: bool = False) -> None:
    """Request learning from all messages in the viewer's own conversations, or in one of them."""
    for id, *dimensions, last in unit.rows(
        "unwanted_messages", {"conversation": conversation}, own(unit)
    ):
        want(unit, id, to_scope(*dimensions), last, with_model=with_model)


def waiting(view: View) -> list[Waiting]:
    """Return the conversations that are due and not leased, in exactly the viewer's scope."""
    return _waiting(view, "list_waiting", due_by=view.stamp)


def pending(view: View) -> list[Waiting]:
    """Return all pending conversations, also leased ones and those to try later."""
    return _waiting(view, "list_waiting", due_by=NEWEST)


def claim(
    unit: Unit, conversation: str, holder: str, duration: timedelta, *, early: bool = False
) -> LearningLease | None:
    """Take the lease of a conversation; None if it is leased or nothing is pending.

    With `early`, a turn that is to be tried again later counts as pending. If the last holder did
    not return the lease, it died during the turn: that counts as a try.
    """
    due_by = NEWEST if early else unit.stamp
    found = _waiting(unit, "find_waiting", conversation=conversation, due_by=due_by, now=unit.stamp)
    if not found:
        return None
    [due] = found
    lease = LearningLease(
        conversation=conversation,
        scope=due.scope,
        learned=due.learned,
        wanted=due.wanted,
        tries=due.tries + (due.holder is not None),
        holder=holder,
        token=os.urandom(16).hex(),
        leased_until=unit.now + duration,
    )
    return lease if _lease(unit, lease) else None


def renew(unit: Unit, lease: LearningLease, duration: timedelta) -> LearningLease:
    kept = replace(lease, leased_until=unit.now + duration)
    if not _lease(unit, kept):
        raise _overtaken(lease)
    return kept


def next_turn(view: View, lease: LearningLease) -> PendingTurn | None:
    """Return the next turn: a message of the user, and all before the user's next message.

    Messages before the user's first message are a turn, too. Return None if nothing is left.
    """
    found = _messages(view, lease)
    first = next(found, None)
    if first is None:
        return None
    followed = takewhile(lambda message: message.role is not Role.USER, found)
    return _turn(view, lease.conversation, lease.scope, [first, *followed])


def turn_again(view: View, attempt: Attempt) -> PendingTurn | None:
    """Return the turn of an attempt without messages that were undone since."""
    found = last_messages(
        view, attempt.conversation, limit=_EVERYTHING, after=attempt.first - 1,
        before=attempt.last + 1,
    )  # fmt: skip
    same = [message for message in found if (message.copy_of or message.id) in attempt.messages]
    return _turn(view, attempt.conversation, attempt.scope, same) if same else None


def finish(unit: Unit, lease: LearningLease, turn: PendingTurn | None) -> LearningLease:
    """Mark a turn as learned. None means that nothing is left to learn from.

    Raise ConflictError if the lease was lost, or if the turn has changed meanwhile. The
    transaction must then be rolled back.
    """
    for message in turn.messages if turn else ():
        if not unit.run("mark_learned", {"id": message.id, "now": unit.stamp}):
            raise ConflictError(
                f"{message.short_id} was undone or learned from meanwhile",
                remedy="read the next turn again",
            )
    through = turn.last if turn else lease.wanted
    if not unit.run("move_learned", {**_proof(lease), "through": through}):
        raise _overtaken(lease)
    return replace(lease, learned=max(lease.learned, through), tries=0)


def fail(
    unit: Unit, lease: LearningLease, retry_at: datetime | None = None, *, counted: bool = True
) -> int:
    """Return the lease after a failure; the result is the number of failures.

    The turn is tried again at `retry_at`. A failure that the turn did not cause, such as an
    unreachable model, is not `counted`.
    """
    try_at = 0 if retry_at is None else to_micros(retry_at)
    given_back = {**_proof(lease), "counted": int(counted), "try_at": try_at}
    if not unit.run("put_learning_off", given_back):
        raise _overtaken(lease)
    return lease.tries + counted


def release(unit: Unit, lease: LearningLease, pause: timedelta | None = None) -> None:
    """Return a lease, to be taken again after a pause. If another process has it, do nothing."""
    try_at = 0 if pause is None else to_micros(unit.now + pause)
    unit.run("put_learning_off", {**_proof(lease), "counted": 0, "try_at": try_at})


def _waiting(view: View, statement: str, **parameters: str | int) -> list[Waiting]:
    return [_WAITING.decode(row) for row in view.rows(statement, parameters, own(view))]


def _lease(unit: Unit, lease: LearningLease) -> bool:
    until = {"until": to_micros(lease.leased_until), "now": unit.stamp}
    held = {**_proof(lease), **until, "holder": lease.holder, "tries": lease.tries}
    return bool(unit.run("lease_learning", held))


def _turn(view: View, conversation: str, scope: Scope, messages: list[Message]) -> PendingTurn:
    """Return messages as a turn, with the messages from the user's last one before it on."""
    before = last_messages(view, conversation, limit=_CONTEXT, before=messages[0].position)
    users = [at for at, message in enumerate(before) if message.role is Role.USER]
    before = before[users[-1] if users else 0 :]
    first = (before or messages)[0].position
    return PendingTurn(
        conversation=conversation,
        scope=scope,
        messages=tuple(messages),
        before=tuple(before),
        after_tools=tool_spoke(view, conversation, 1, first - 1),
    )


def _proof(lease: LearningLease) -> dict[str, str | int]:
    return {"conversation": lease.conversation, "token": lease.token}


def _messages(view: View, lease: LearningLease) -> Iterator[Message]:
    """Yield the messages to learn from, read in pages."""
    parameters = {"conversation": lease.conversation, "through": lease.wanted, "limit": _PAGE}
    after = lease.learned
    while rows := view.rows("messages_to_learn", {**parameters, "after": after}):
        page = [to_message(row) for row in rows]
        yield from page
        after = page[-1].position


def _overtaken(lease: LearningLease) -> ConflictError:
    return ConflictError(
        f"another process has leased or deleted {lease.conversation} meanwhile",
        remedy="discard the result of this attempt",
    )
