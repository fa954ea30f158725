"""Continue a conversation with a list that repeats the messages before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher

from erstwhile.conversations.chat_messages import CALLS
from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStatus,
    Message,
    MessageDraft,
)
from erstwhile.conversations.messages import append_message, check_open, to_message
from erstwhile.conversations.table import VERB, ConversationTable
from erstwhile.storage.record import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_MORE_TO_COMPARE = 100


def add_missing(
    unit: Unit,
    table: ConversationTable,
    messages: Sequence[MessageDraft],
    conversation: str | None,
    channel: str,
) -> tuple[Conversation, list[Message]]:
    """Append the messages of a list that its conversation does not have; return these.

    Without a conversation, the list belongs to the last open one of the channel if that is active
    or has one of its messages.
    """
    unit.scope_id(scope_for_new(unit.viewer, VERB))
    if conversation is None:
        into = table.find_current(unit, channel, idle=True)
    else:
        into = table.find_own(unit, conversation)
    new = messages if into is None else missing_from(unit, into.id, messages)
    is_other = conversation is None and len(new) == len(messages)
    if into is None or (is_other and into.status is ConversationStatus.IDLE):
        into = table.current(unit, channel)
    if new:
        check_open(into)
    return into, [append_message(unit, into, draft) for draft in new]


def missing_from(
    view: View, conversation: str, drafts: Sequence[MessageDraft]
) -> list[MessageDraft]:
    """Return the drafts that a conversation does not have, compared in order.

    Messages that were undone count as known, so that nobody stores them again by accident. Read
    about twice as many messages as there are drafts, from the end.
    """
    params = {"conversation": conversation, "limit": 2 * len(drafts) + _MORE_TO_COMPARE}
    said = [to_message(row) for row in view.rows("said_messages", params)][::-1]
    stored, given = [*map(_identity, said)], [*map(_identity, drafts)]
    same = SequenceMatcher(None, stored, given, autojunk=False).get_matching_blocks()
    known = {at for block in same for at in range(block.b, block.b + block.size)}
    return [draft for at, draft in enumerate(drafts) if at not in known]


def _identity(message: Message | MessageDraft) -> tuple[str, str]:
    """Return what two equal messages share: the role, and the text or else the tool calls."""
    return message.role, message.content or json.dumps(message.metadata.get(CALLS), default=list)
