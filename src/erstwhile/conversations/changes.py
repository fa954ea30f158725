"""The changes of a conversation. Each runs in one transaction.

Each change first asks for the number of the scope. An engine with several writers locks the scope
there. So two writers that look for the current conversation at the same time find one conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from erstwhile.conversations.conversation import (
    LEARN_TO,
    Compaction,
    Conversation,
    ConversationStatus,
    Message,
    MessageDraft,
)
from erstwhile.conversations.messages import (
    add_compaction,
    add_message,
    compactions_of,
    last_messages,
    to_message,
    tool_spoke,
    undo_compaction,
    undo_message,
)
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.scope import DIMENSIONS, Scope
from erstwhile.core.text import NO_METADATA
from erstwhile.storage.record import owned, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_ALL_MESSAGES = 2**31 - 1
_VERB = "hold a conversation"


def find_current(view: View, table: ConversationTable, channel: str) -> Conversation | None:
    """Return the active conversation of exactly this scope and channel, if there is one."""
    scope_for_new(view.viewer, _VERB)
    params = {"channel": channel, "active_since": table.active_since(view)}
    found = table.select(view, "find_current_conversation", params, "own")
    return found[0] if found else None


def current(unit: Unit, table: ConversationTable, channel: str) -> Conversation:
    """Return the active conversation, or start one."""
    unit.scope_id(scope_for_new(unit.viewer, _VERB))
    return find_current(unit, table, channel) or start(unit, table, channel, NO_METADATA)


def start(
    unit: Unit, table: ConversationTable, channel: str, metadata: Mapping[str, Any]
) -> Conversation:
    """Start a conversation; others of the channel stay open."""
    scope = scope_for_new(unit.viewer, _VERB)
    return table.add(unit, _new_conversation(unit, scope, channel, metadata), "start")


def add(
    unit: Unit,
    table: ConversationTable,
    messages: Sequence[MessageDraft],
    conversation: str | None,
    channel: str,
) -> list[Message]:
    """Append messages, all or none. A message with a known key is not stored again."""
    into = None if conversation is None else table.find_own(unit, conversation)
    scope = into.scope if into else scope_for_new(unit.viewer, _VERB)
    known = [_find_by_key(unit, scope, draft) for draft in messages]
    if all(known):
        return [message for message in known if message]
    if into is None:
        # The rest of an exchange belongs to the conversation of its known messages.
        ids = [message.conversation for message in known if message]
        into = table.find_own(unit, ids[0]) if ids else current(unit, table, channel)
    check_open(into)
    return [
        message or _append_message(unit, into, draft)
        for message, draft in zip(known, messages, strict=True)
    ]


def undo(unit: Unit, conversation: Conversation, count: int, reason: str | None) -> list[Message]:
    """Undo the last messages, and the summaries that cover them."""
    check_open(conversation)
    last = last_messages(unit, conversation.id, limit=count)
    if len(last) < count:
        raise InvalidInputError(
            f"{conversation.short_id} has only {len(last)} messages to undo, not {count}",
            remedy="undo fewer",
        )
    for compaction in compactions_of(unit, conversation.id):
        if compaction.last >= last[0].position:
            undo_compaction(unit, compaction, reason)
    return [undo_message(unit, message, reason) for message in last]


def branch(unit: Unit, table: ConversationTable, message: Message) -> Conversation:
    """Start a conversation with copies of the messages up to this one."""
    owned(unit.viewer, message)
    if message.undone_at is not None:
        raise ConflictError(
            f"{message.short_id} was undone", remedy="branch from a message that was not undone"
        )
    parent = table.find(unit, message.conversation)
    blank = _new_conversation(unit, parent.scope, parent.channel, parent.metadata)
    new = table.add(unit, replace(blank, parent=parent.id, branched_at=message.id), "branch")
    shared = last_messages(unit, parent.id, limit=_ALL_MESSAGES, before=message.position + 1)
    for each in shared:
        unit.tick()
        origin = each.copy_of or each.id
        id = new_id(unit.now)
        copied = replace(each, id=id, conversation=new.id, key=None, copy_of=origin)
        add_message(unit, copied, "copy")
    for compaction in compactions_of(unit, parent.id):
        if compaction.last <= message.position:
            unit.tick()
            summary = replace(compaction, id=new_id(unit.now), conversation=new.id)
            add_compaction(unit, summary, "copy")
    return replace(new, messages=len(shared), active_at=unit.now)


def compact(
    unit: Unit, conversation: Conversation, summary: str, through: Message | None
) -> Compaction:
    """Store a summary of the messages up to `through` that have no summary yet; idempotent."""
    unit.scope_id(conversation.scope)
    newest = [through] if through else last_messages(unit, conversation.id, limit=1)
    if not newest:
        raise InvalidInputError(f"{conversation.short_id} has no messages to summarise")
    [last] = newest
    if last.conversation != conversation.id or last.undone_at is not None:
        raise InvalidInputError(
            f"{last.short_id} is not among the messages of {conversation.short_id}",
            remedy="see the ids with `conversations.messages`",
        )
    earlier = compactions_of(unit, conversation.id)
    covered = earlier[-1].last if earlier else 0
    if last.position <= covered:
        for stored in earlier:
            if (stored.last, stored.summary) == (last.position, summary):
                return stored
        raise ConflictError(
            "these messages have a summary already",
            remedy="see the summary in `conversations.transcript`",
        )
    compaction = Compaction(
        id=new_id(unit.now),
        scope=conversation.scope,
        conversation=conversation.id,
        first=covered + 1,
        last=last.position,
        summary=summary,
        created_at=unit.now,
        of_tools=tool_spoke(unit, conversation.id, covered + 1, last.position),
    )
    return add_compaction(unit, compaction, "add")


def expand(unit: Unit, conversation: Conversation, reason: str | None) -> list[Compaction]:
    """Undo the summaries of a conversation. Its messages stand for themselves again."""
    unit.scope_id(conversation.scope)
    summaries = compactions_of(unit, conversation.id)
    for compaction in summaries:
        undo_compaction(unit, compaction, reason)
    return summaries


def closed(unit: Unit, found: Conversation, summary: str | None) -> Conversation:
    """Return the conversation as closed. A closed one can still get a summary."""
    return replace(
        found,
        status=ConversationStatus.CLOSED,
        closed_at=found.closed_at or unit.now,
        summary=found.summary if summary is None else summary,
    )


def reopened(unit: Unit, found: Conversation) -> Conversation:
    """Return the conversation as open, without the summary: the next message makes it outdated."""
    if found.closed_at is None:
        return found
    status = ConversationStatus.ACTIVE
    return replace(found, status=status, active_at=unit.now, closed_at=None, summary=None)


def check_open(conversation: Conversation) -> None:
    """Raise ConflictError if the conversation is closed."""
    if conversation.closed_at is not None:
        raise ConflictError(
            f"conversation {conversation.short_id} was closed",
            remedy="reopen it with `conversations.reopen`, or start another conversation",
        )


def _new_conversation(
    unit: Unit, scope: Scope, channel: str, metadata: Mapping[str, Any]
) -> Conversation:
    return Conversation(
        id=new_id(unit.now),
        scope=scope,
        channel=channel,
        started_at=unit.now,
        active_at=unit.now,
        metadata=metadata,
    )


def _append_message(unit: Unit, into: Conversation, draft: MessageDraft) -> Message:
    unit.tick()  # each message gets a later timestamp: ids are in the order of the messages
    metadata, scope = draft.metadata, into.scope
    if LEARN_TO not in metadata and not Scope(user=scope.user).sees(unit.viewer.within):
        # Limit the facts of the message to the scope of its caller.
        names = [name for name in DIMENSIONS if getattr(scope, name) is not None]
        metadata = {**metadata, LEARN_TO: names}
    new = Message(
        id=new_id(unit.now),
        scope=into.scope,
        conversation=into.id,
        role=draft.role,
        content=draft.content,
        said_at=draft.said_at or unit.now,
        metadata=metadata,
        key=draft.key,
    )
    return add_message(unit, new, "add")


def _find_by_key(unit: Unit, scope: Scope, draft: MessageDraft) -> Message | None:
    """Return the stored message with this key; raise ConflictError if its text differs."""
    if draft.key is None:
        return None
    params = {"scope": unit.scope_id(scope), "key": draft.key, "role": draft.role}
    found = [to_message(row) for row in unit.rows("find_message_by_key", params)]
    if found and found[0].content != draft.content:
        raise ConflictError(
            f"the key {draft.key!r} belongs to another message ({found[0].short_id})",
            remedy="give each call its own key, and repeat a key only to repeat the call",
        )
    return found[0] if found else None
