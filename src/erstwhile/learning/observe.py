"""Observe a turn: store its messages and the request to learn from them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from erstwhile.conversations import changes
from erstwhile.conversations.conversation import (
    Message,
    MessageDraft,
    Role,
    draft_message,
    resolve_channel,
)
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.time import Moment
from erstwhile.facts.draft import limited
from erstwhile.learning import progress_table
from erstwhile.learning.attempt import Observed
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

MAX_TOOLS = 100


def observe(
    access: Access,
    services: Services,
    messages: Sequence[MessageDraft],
    conversation: str | None,
    channel: str | None,
) -> Observed:
    """Store the messages of a turn, the user's first and the answer last, for learning later."""
    place = resolve_channel(conversation, channel)

    def observed(unit: Unit) -> list[Message]:
        stored = changes.add(unit, ConversationTable(services.idle), messages, conversation, place)
        last = stored[-1]
        progress_table.want(
            unit, last.conversation, last.scope, last.position, with_model=services.has_llm
        )
        return stored

    user, *tools, assistant = access.change(observed)
    return Observed(user=user, tools=tuple(tools), assistant=assistant)


def turn_said(
    access: Access,
    user: str,
    assistant: str,
    tools: Sequence[str],
    metadata: Mapping[str, Any] | None,
    said_at: Moment | None,
    key: str | None,
) -> list[MessageDraft]:
    """Return the checked messages of a turn. A key identifies the turn and each of its messages."""
    now = access.clock.now()

    def message(role: Role, content: str, name: str | None, noted: Any = None) -> MessageDraft:
        return draft_message(role, content, metadata=noted, said_at=said_at, key=name, now=now)

    returned = [
        message(Role.TOOL, content, None if key is None else f"{key}#{number}")
        for number, content in enumerate(limited(tools, "tools", MAX_TOOLS), 1)
    ]
    return [
        message(Role.USER, user, key),
        *returned,
        message(Role.ASSISTANT, assistant, key, metadata),
    ]
