"""Read and write messages and their summaries.

The row, its passages in the search index and the audit entry of a change are written together.
"""

from __future__ import annotations

import json
from dataclasses import replace
from operator import itemgetter
from typing import Any

from erstwhile.conversations.conversation import Compaction, Message, Role
from erstwhile.core.ids import id_range
from erstwhile.core.kinds import TextKind
from erstwhile.core.results import NEWEST
from erstwhile.storage import passages
from erstwhile.storage.columns import RowType
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
    rows = view.rows("messages_in_full", {"ids": json.dumps(ids)}) if ids else []
    return {row[0]: to_message(row) for row in rows}


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
