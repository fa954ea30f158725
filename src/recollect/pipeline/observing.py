"""Observing a turn: its messages and the wish to learn from them are stored together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from recollect.model.conversation import (
    Message,
    Role,
    Said,
    chosen_channel,
    said,
)
from recollect.model.draft import limited
from recollect.model.observed import Observed
from recollect.model.time import Moment
from recollect.store import learning_progress, talking
from recollect.store.access import Access
from recollect.store.conversation_table import Idleness
from recollect.store.unit import Unit

MAX_TOOLS = 100


def observe(
    access: Access,
    idle: timedelta,
    messages: Sequence[Said],
    conversation: str | None,
    channel: str | None,
    *,
    with_model: bool = False,
) -> Observed:
    """Store the messages of a turn, the user's first and the answer last, for learning later."""
    place = chosen_channel(conversation, channel)

    def observed(unit: Unit) -> list[Message]:
        stored = talking.add(unit, Idleness(idle), messages, conversation, place)
        last = stored[-1]
        learning_progress.want(
            unit, last.conversation, last.scope, last.position, with_model=with_model
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
) -> list[Said]:
    """The messages of a turn, checked. A key names the turn, and with it each of its messages."""
    now = access.clock.now()

    def message(role: Role, content: str, name: str | None, noted: Any = None) -> Said:
        return said(role, content, metadata=noted, said_at=said_at, key=name, now=now)

    returned = [
        message(Role.TOOL, content, None if key is None else f"{key}#{number}")
        for number, content in enumerate(limited(tools, "tools", MAX_TOOLS), 1)
    ]
    return [
        message(Role.USER, user, key),
        *returned,
        message(Role.ASSISTANT, assistant, key, metadata),
    ]
