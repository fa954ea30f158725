"""Read and write messages and their summaries.

The row, its passages in the search index and the audit entry of a change are written together.
"""

from __future__ import annotations

import json
from dataclasses import replace
from operator import itemgetter
from typing import Any

from erstwhile.conversations.conversation import (
    LEARN_TO,
    Compaction,
    Conversation,
    Message,
    MessageDraft,
    Role,
)
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import id_range, new_id
from erstwhile.core.kinds import TextKind
from erstwhile.core.results import NEWEST
from erstwhile.core.scope import DIMENSIONS, Scope
from erstwhile.storage import passages
from erstwhile.storage.columns import RowType, damaged
from erstwhile.storage.record import the_one
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

# The columns that an audit entry covers, in the order of the statements `stored_…`.
_message_state = itemgetter(
    "conversation", "position", "role", "content", "said_at", "metadata", "key", "origin",
    "undone_at",
)  # fmt: skip
_compaction_state = itemgetter(
    "conversation", "first", "last", "summary", "created_at", "undone_at"
)


def find_message(view: View, id: str) -> Message:
    """Return the visible message whose id is, or starts with, `id`, undone or not."""
    remedy = "see the ids with `conversations.messages`"
    return the_one(messages_starting_with(view, id), "message", id, remedy=remedy)


def messages_starting_with(view: View, id: str) -> list[Message]:
    """Return the visible messages whose id starts with `id`."""
    lowest, highest = id_range(id)
    rows = view.rows("find_messages", {"lowest": lowest, "highest": highest})
    return [to_message(row) for row in rows]


def messages_by_id(view: View, ids: list[str]) -> dict[str, Message]:
    """Return messages that exist. Raise CorruptError if one is not found."""
    rows = view.rows("messages_in_full", {"ids": json.dumps(ids)}) if ids else []
    found = {row[0]: to_message(row) for row in rows}
    for missing in (id for id in ids if id not in found):
        raise damaged("message", missing)
    return found


def last_messages(
    view: View, conversation: str, *, limit: int, after: int = 0, before: int = NEWEST
) -> list[Message]:
    """Return the last messages between two positions, in order."""
    params = {"conversation": conversation, "after": after, "before": before, "limit": limit}
    return [to_message(row) for row in view.rows("last_messages", params)][::-1]


def add_message(unit: Unit, message: Message, action: str) -> Message:
    """Append a message; position 0 means the next free position."""
    scope = unit.scope_id(message.scope)
    row = _message_row(message, scope, unit.stamp)
    [(row["position"],)] = unit.rows("add_message", row)
    stored = replace(message, position=row["position"])
    if message.content:
        passages.put(unit, indexed_message(stored, scope))
    count_message(unit, message.conversation, added=1, active_at=unit.stamp)
    unit.record(f"message.{action}", message.id, message.scope, None, _message_state(row))
    return stored


def undo_message(unit: Unit, message: Message, reason: str | None) -> Message:
    """Undo a message: it is kept, but no longer shown or found."""
    undone = replace(message, undone_at=unit.now)
    row = _message_row(undone, unit.scope_id(message.scope), unit.stamp)
    unit.run("undo_message", {"id": message.id, "undone_at": unit.stamp})
    count_message(unit, message.conversation, added=-1)
    passages.remove(unit, message.id)
    unit.record("message.undo", message.id, message.scope, reason, _message_state(row))
    return undone


def count_message(unit: Unit, conversation: str, *, added: int, active_at: int = 0) -> None:
    """Change the number of messages of a conversation, and the time of its last message."""
    unit.run("touch_conversation", {"id": conversation, "added": added, "active_at": active_at})


def compactions_of(view: View, conversation: str) -> list[Compaction]:
    """Return the summaries of the beginning of a conversation, in order."""
    rows = view.rows("list_compactions", {"conversation": conversation})
    return [_COMPACTION.decode(row) for row in rows]


def tool_spoke(view: View, conversation: str, first: int, last: int) -> bool:
    """Return whether a tool spoke between two positions, also in messages that were undone."""
    place = {"conversation": conversation, "first": first, "last": last}
    return bool(view.rows("tool_spoke", place))


def add_compaction(unit: Unit, compaction: Compaction, action: str) -> Compaction:
    unit.admit([compaction.summary] if action == "add" else [])
    scope = unit.scope_id(compaction.scope)
    row = _COMPACTION.encode(compaction, scope=scope, changed_at=unit.stamp, undone_at=None)
    unit.run("add_compaction", row)
    state = _compaction_state(row)
    unit.record(f"compaction.{action}", compaction.id, compaction.scope, None, state)
    return compaction


def undo_compaction(unit: Unit, compaction: Compaction, reason: str | None) -> None:
    """Undo a summary: it is kept, but no longer shown."""
    unit.run("undo_compaction", {"id": compaction.id, "undone_at": unit.stamp})
    state = _compaction_state(_COMPACTION.encode(compaction, undone_at=unit.stamp))
    unit.record("compaction.undo", compaction.id, compaction.scope, reason, state)


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
            "these messages already have a summary",
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
    """Undo the summaries of a conversation. Its messages are shown again."""
    unit.scope_id(conversation.scope)
    summaries = compactions_of(unit, conversation.id)
    for compaction in summaries:
        undo_compaction(unit, compaction, reason)
    return summaries


def check_open(conversation: Conversation) -> None:
    """Raise ConflictError if the conversation is closed."""
    if conversation.closed_at is not None:
        raise ConflictError(
            f"conversation {conversation.short_id} was closed",
            remedy="reopen it with `conversations.reopen`, or start another conversation",
        )


def append_message(unit: Unit, into: Conversation, draft: MessageDraft) -> Message:
    """Store a new message at the end of a conversation."""
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


def find_by_key(unit: Unit, scope: Scope, draft: MessageDraft) -> Message | None:
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


_MESSAGE = RowType(Message, "message", names={"copy_of": "origin"})
"""The fragment `message_columns`. Only a copy has another origin than itself."""
to_message = _MESSAGE.decode


def indexed_message(message: Message, scope: int) -> passages.IndexedText:
    """Return a message as the search index needs it.

    Output of tools, instructions and copies in a branch get no vectors: there is much of it, and
    it is rarely what somebody asks for. They are found by their words.
    """
    is_said = message.role in (Role.USER, Role.ASSISTANT)
    return passages.IndexedText(
        kind=TextKind.MESSAGES,
        id=message.id,
        scope=scope,
        text=message.content,
        conversation=message.conversation,
        position=message.position,
        embedded=is_said and message.copy_of is None,
    )


def _message_row(message: Message, scope: int, stamp: int) -> dict[str, Any]:
    """Return the parameters of `add_message`; position 0 becomes None."""
    return _MESSAGE.encode(
        message,
        scope=scope,
        changed_at=stamp,
        position=message.position or None,
        origin=message.copy_of or message.id,
    )


_COMPACTION = RowType(Compaction, "compaction")
