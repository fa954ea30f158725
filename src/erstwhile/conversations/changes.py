"""How a conversation changes as a whole: closed, opened again, deleted, brought back."""

from __future__ import annotations

from erstwhile.conversations import table
from erstwhile.conversations.conversation import Conversation, ConversationStatus
from erstwhile.conversations.table import Idleness
from erstwhile.storage.unit import Unit


def close(unit: Unit, found: Conversation, summary: str | None, reason: str | None) -> Conversation:
    """Closing twice is harmless, and may bring the summary that was missing."""
    if found.closed_at is not None and summary in (None, found.summary):
        return found
    return table.change(
        unit,
        found,
        "close",
        reason,
        status=ConversationStatus.CLOSED,
        closed_at=found.closed_at or unit.now,
        summary=found.summary if summary is None else summary,
    )


def reopen(unit: Unit, found: Conversation, reason: str | None) -> Conversation:
    """What is said next makes the summary out of date, so it goes."""
    if found.closed_at is None:
        return found
    return table.change(
        unit,
        found,
        "reopen",
        reason,
        status=ConversationStatus.ACTIVE,
        active_at=unit.now,
        closed_at=None,
        summary=None,
    )


def delete(unit: Unit, found: Conversation, reason: str | None) -> Conversation:
    gone = {"status": ConversationStatus.DELETED, "deleted_at": unit.now}
    return table.change(unit, found, "delete", reason, **gone)


def restore(
    unit: Unit, idleness: Idleness, found: Conversation, reason: str | None
) -> Conversation:
    restored = table.change(unit, found, "restore", reason, deleted_at=None)
    return table.find(unit, idleness, restored.id)
