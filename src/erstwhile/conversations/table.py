"""Conversations and messages as rows: finding, adding, changing. Each change leaves its trace.

Whatever changes one of them goes through this module, so that the row, what is searched of it and
the audit entry are always written together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from erstwhile.conversations.conversation import Compaction, Conversation, Message
from erstwhile.conversations.rows import (
    compaction_row,
    compaction_state,
    conversation_row,
    conversation_state,
    message_row,
    message_state,
    to_compaction,
    to_conversation,
    to_message,
)
from erstwhile.core.ids import id_range
from erstwhile.core.page import NEWEST
from erstwhile.core.ports import Row
from erstwhile.core.time import to_micros
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.lookup import owned, the_one
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

PRESENT = ("present",)
DELETED = ("deleted",)
EITHER = PRESENT + DELETED


@dataclass(frozen=True, slots=True)
class Idleness:
    """After how long without a message a conversation counts as idle."""

    after: timedelta

    def since(self, view: View) -> int:
        """Where nothing was said since then, the conversation is idle."""
        return to_micros(view.now) - int(self.after / timedelta(microseconds=1))

    def read(self, view: View, rows: list[Row]) -> list[Conversation]:
        since = self.since(view)
        return [to_conversation(row, since) for row in rows]


def find(
    view: View, idleness: Idleness, given: str, *, among: tuple[str, ...] = PRESENT
) -> Conversation:
    """The one visible conversation with this id, or whose id begins so."""
    found = beginning(view, idleness, given, among)
    remedy = "" if found else _remedy(view, idleness, given, among)
    return the_one(found, "conversation", given, remedy=remedy)


def find_own(
    unit: Unit, idleness: Idleness, given: str, *, among: tuple[str, ...] = PRESENT
) -> Conversation:
    """The same, of one that this viewer may change: seeing is not owning.

    It is read again once no other writer of its scope can be at work.
    """
    found = owned(unit.viewer, find(unit, idleness, given, among=among))
    unit.scope_id(found.scope)
    return find(unit, idleness, found.id, among=among)


def find_message(view: View, given: str) -> Message:
    """The one visible message with this id, undone or not."""
    remedy = "see what is there with `conversations.messages`"
    return the_one(messages_beginning(view, given), "message", given, remedy=remedy)


def messages_beginning(view: View, given: str) -> list[Message]:
    lowest, highest = id_range(given)
    rows = view.rows("find_messages", {"lowest": lowest, "highest": highest})
    return [to_message(row) for row in rows]


def add(unit: Unit, conversation: Conversation, action: str) -> Conversation:
    row = conversation_row(conversation, unit.scope_id(conversation.scope), unit.stamp)
    unit.run("add_conversation", row)
    _record_conversation(unit, conversation, action, None, row)
    return conversation


def change(
    unit: Unit, conversation: Conversation, action: str, reason: str | None = None, **new: Any
) -> Conversation:
    changed = replace(conversation, **new)
    row = conversation_row(changed, unit.scope_id(changed.scope), unit.stamp)
    unit.run("change_conversation", row)
    _record_conversation(unit, changed, action, reason, row)
    return changed


def add_message(unit: Unit, message: Message, action: str) -> Message:
    """Append a message; position 0 means the next that is free."""
    scope = unit.scope_id(message.scope)
    row = message_row(message, scope, unit.stamp)
    [(row["position"],)] = unit.rows("add_message", row)
    fulltext.put(unit, fulltext.Kind.MESSAGE, message.id, scope, message.content)
    touched = {"id": message.conversation, "added": 1, "active_at": unit.stamp}
    unit.run("touch_conversation", touched)
    unit.record(f"message.{action}", message.id, message.scope, None, message_state(row))
    return replace(message, position=row["position"])


def undo_message(unit: Unit, message: Message, reason: str | None) -> Message:
    """Take a message back: it is kept, but no longer shown or found."""
    undone = replace(message, undone_at=unit.now)
    row = message_row(undone, unit.scope_id(message.scope), unit.stamp)
    unit.run("undo_message", {"id": message.id, "undone_at": unit.stamp})
    unit.run("touch_conversation", {"id": message.conversation, "added": -1, "active_at": 0})
    fulltext.remove(unit, message.id)
    unit.record("message.undo", message.id, message.scope, reason, message_state(row))
    return undone


def messages(
    view: View, conversation: str, *, limit: int, after: int = 0, before: int = NEWEST
) -> list[Message]:
    """The last messages between two positions, in their order."""
    wanted = {"conversation": conversation, "after": after, "before": before, "limit": limit}
    return [to_message(row) for row in view.rows("last_messages", wanted)][::-1]


def compactions(view: View, conversation: str) -> list[Compaction]:
    rows = view.rows("list_compactions", {"conversation": conversation})
    return [to_compaction(row) for row in rows]


def add_compaction(unit: Unit, compaction: Compaction, action: str) -> Compaction:
    row = compaction_row(compaction, unit.scope_id(compaction.scope))
    unit.run("add_compaction", {**row, "changed_at": unit.stamp})
    state = compaction_state(row)
    unit.record(f"compaction.{action}", compaction.id, compaction.scope, None, state)
    return compaction


def undo_compaction(unit: Unit, compaction: Compaction, reason: str | None) -> None:
    unit.run("undo_compaction", {"id": compaction.id, "undone_at": unit.stamp})
    row = compaction_row(compaction, unit.scope_id(compaction.scope))
    state = compaction_state({**row, "undone_at": unit.stamp})
    unit.record("compaction.undo", compaction.id, compaction.scope, reason, state)


def _record_conversation(
    unit: Unit, conversation: Conversation, action: str, reason: str | None, row: dict[str, Any]
) -> None:
    state = conversation_state(row)
    unit.record(f"conversation.{action}", conversation.id, conversation.scope, reason, state)


def beginning(
    view: View, idleness: Idleness, given: str, among: tuple[str, ...]
) -> list[Conversation]:
    lowest, highest = id_range(given)
    ids = {"lowest": lowest, "highest": highest, "quiet_since": idleness.since(view)}
    rows = [row for each in among for row in view.rows("find_conversations", ids, each)]
    return idleness.read(view, rows)


def _remedy(view: View, idleness: Idleness, given: str, among: tuple[str, ...]) -> str:
    if among == PRESENT and beginning(view, idleness, given, DELETED):
        return "it was deleted; `conversations.restore` brings it back"
    if among == DELETED and beginning(view, idleness, given, PRESENT):
        return "it is not deleted"
    return "see what is there with `conversations.list`"
