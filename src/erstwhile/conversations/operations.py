"""What happens in a conversation, inside one unit: going on, adding, undoing, summing up.

Each begins by asking for the number of the scope, which is where an engine with several writers
makes those of one scope wait for each other. So two that look for the current conversation at once
find the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from erstwhile.conversations import table
from erstwhile.conversations.conversation import (
    Compaction,
    Conversation,
    ConversationStatus,
    Message,
    Said,
)
from erstwhile.conversations.rows import to_message
from erstwhile.conversations.table import Idleness
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.metadata import NO_METADATA
from erstwhile.core.scope import Scope
from erstwhile.storage.lookup import owned, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_EVERYTHING = 2**31 - 1


def find_current(view: View, idleness: Idleness, channel: str) -> Conversation | None:
    """The conversation of exactly this scope and channel that is going on."""
    scope_for_new(view.viewer, "talk")
    wanted = {"channel": channel, "quiet_since": idleness.since(view)}
    found = idleness.read(view, view.rows("find_current_conversation", wanted, "own"))
    return found[0] if found else None


def current(unit: Unit, idleness: Idleness, channel: str) -> Conversation:
    """The conversation that is going on, or a new one."""
    unit.scope_id(scope_for_new(unit.viewer, "talk"))
    return find_current(unit, idleness, channel) or start(unit, channel, NO_METADATA)


def start(unit: Unit, channel: str, metadata: Mapping[str, Any]) -> Conversation:
    """A new conversation; whatever is going on stays open."""
    scope = scope_for_new(unit.viewer, "talk")
    return table.add(unit, _started(unit, scope, channel, metadata), "start")


def add(
    unit: Unit,
    idleness: Idleness,
    messages: Sequence[Said],
    conversation: str | None,
    channel: str,
) -> list[Message]:
    """Append messages: all of them or none. One whose key is known was stored before."""
    into = None if conversation is None else table.find_own(unit, idleness, conversation)
    scope = into.scope if into else scope_for_new(unit.viewer, "talk")
    known = [_stored(unit, scope, said) for said in messages]
    if all(known):
        return [message for message in known if message]
    into = into or _conversation_of(unit, idleness, known) or current(unit, idleness, channel)
    check_open(into)
    return [
        message or _append(unit, into, said) for message, said in zip(known, messages, strict=True)
    ]


def undo(unit: Unit, conversation: Conversation, count: int, reason: str | None) -> list[Message]:
    """Take the last messages back, and the summaries that tell of them."""
    check_open(conversation)
    last = table.messages(unit, conversation.id, limit=count)
    if len(last) < count:
        raise InvalidInputError(
            f"{conversation.short_id} has no {count} messages to undo, only {len(last)}",
            remedy="undo fewer",
        )
    for compaction in table.compactions(unit, conversation.id):
        if compaction.last >= last[0].position:
            table.undo_compaction(unit, compaction, reason)
    return [table.undo_message(unit, message, reason) for message in last]


def branch(unit: Unit, idleness: Idleness, message: Message) -> Conversation:
    """A new conversation that begins with copies of the messages up to this one."""
    owned(unit.viewer, message)
    if message.undone_at is not None:
        raise ConflictError(
            f"{message.short_id} was undone", remedy="branch from a message that is still there"
        )
    parent = table.find(unit, idleness, message.conversation)
    begun = _started(unit, parent.scope, parent.channel, parent.metadata)
    new = table.add(unit, replace(begun, parent=parent.id, branched_at=message.id), "branch")
    shared = table.messages(unit, parent.id, limit=_EVERYTHING, before=message.position + 1)
    for each in shared:
        unit.tick()
        table.add_message(unit, _copied(unit, each, new), "copy")
    for compaction in table.compactions(unit, parent.id):
        if compaction.last <= message.position:
            unit.tick()
            copied = replace(compaction, id=new_id(unit.now), conversation=new.id)
            table.add_compaction(unit, copied, "copy")
    return replace(new, messages=len(shared), active_at=unit.now)


def compact(
    unit: Unit, conversation: Conversation, summary: str, through: Message | None
) -> Compaction:
    """Record the summary of all messages up to one that no summary covers yet. Once."""
    unit.scope_id(conversation.scope)
    last = through or _last(unit, conversation)
    if last.conversation != conversation.id or last.undone_at is not None:
        raise InvalidInputError(
            f"{last.short_id} is not among the messages of {conversation.short_id}",
            remedy="see `conversations.messages`",
        )
    before = table.compactions(unit, conversation.id)
    covered = before[-1].last if before else 0
    if last.position <= covered:
        return _recorded(before, last.position, summary)
    made = Compaction(
        id=new_id(unit.now),
        scope=conversation.scope,
        conversation=conversation.id,
        first=covered + 1,
        last=last.position,
        summary=summary,
        created_at=unit.now,
    )
    return table.add_compaction(unit, made, "add")


def check_open(conversation: Conversation) -> None:
    if conversation.closed_at is not None:
        raise ConflictError(
            f"conversation {conversation.short_id} was closed",
            remedy="`conversations.reopen` it, or start another",
        )


def _started(unit: Unit, scope: Scope, channel: str, metadata: Mapping[str, Any]) -> Conversation:
    return Conversation(
        id=new_id(unit.now),
        scope=scope,
        channel=channel,
        status=ConversationStatus.ACTIVE,
        started_at=unit.now,
        active_at=unit.now,
        messages=0,
        summary=None,
        closed_at=None,
        parent=None,
        branched_at=None,
        metadata=metadata,
        deleted_at=None,
    )


def _append(unit: Unit, into: Conversation, said: Said) -> Message:
    """Each at a moment of its own, so that ids are in the order of the messages."""
    unit.tick()
    new = Message(
        id=new_id(unit.now),
        scope=into.scope,
        conversation=into.id,
        position=0,
        role=said.role,
        content=said.content,
        said_at=said.said_at or unit.now,
        metadata=said.metadata,
        key=said.key,
        copy_of=None,
        undone_at=None,
    )
    return table.add_message(unit, new, "add")


def _copied(unit: Unit, message: Message, into: Conversation) -> Message:
    origin = message.copy_of or message.id
    return replace(message, id=new_id(unit.now), conversation=into.id, key=None, copy_of=origin)


def _stored(unit: Unit, scope: Scope, said: Said) -> Message | None:
    """What a call with this key stored before; an error if it said something else."""
    if said.key is None:
        return None
    wanted = {"scope": unit.scope_id(scope), "key": said.key, "role": said.role}
    found = [to_message(row) for row in unit.rows("find_message_by_key", wanted)]
    if found and found[0].content != said.content:
        raise ConflictError(
            f"the key {said.key!r} belongs to another message ({found[0].short_id})",
            remedy="give each call a key of its own, and repeat it only to repeat the call",
        )
    return found[0] if found else None


def _conversation_of(
    unit: Unit, idleness: Idleness, known: Sequence[Message | None]
) -> Conversation | None:
    """The other half of an exchange belongs where the first half is."""
    places = [message.conversation for message in known if message]
    return table.find_own(unit, idleness, places[0]) if places else None


def _last(unit: Unit, conversation: Conversation) -> Message:
    found = table.messages(unit, conversation.id, limit=1)
    if not found:
        raise InvalidInputError(f"{conversation.short_id} has no messages to sum up")
    return found[0]


def _recorded(before: Sequence[Compaction], position: int, summary: str) -> Compaction:
    """What a call that is repeated recorded the first time."""
    same = [each for each in before if each.last == position and each.summary == summary]
    if not same:
        raise ConflictError(
            "these messages are summed up already",
            remedy="see the summary in `conversations.transcript`",
        )
    return same[0]
