"""Messages as a turn to learn from: what was recalled, injected or set up by a program is left out.

Recalled text is no evidence for itself, and a system prompt is nobody's wish. Both would otherwise
be learned again with every session. Secrets are masked before anything else sees the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.memory_markers import without_memory
from erstwhile.learning.shortening import shortened
from erstwhile.learning.turn import Line, Turn
from erstwhile.secrets.masking import mask_text

INJECTED = "injected"
"""A message whose metadata says so was put there by a program, and is not learned from."""
LONGEST_READ = 50_000
"""Characters of a message that are looked through: of a longer one the beginning and the end."""


def to_turn(messages: Sequence[Message]) -> Turn | None:
    """What of these messages may be learned from; None if nothing may."""
    lines = tuple(line for message in messages if (line := _line(message)))
    if not lines:
        return None
    first = messages[0]
    return Turn(
        conversation=first.conversation,
        scope=first.scope,
        said_at=first.said_at,
        lines=lines,
    )


def _line(message: Message) -> Line | None:
    if message.role is Role.SYSTEM or message.metadata.get(INJECTED):
        return None
    text = shortened(mask_text(without_memory(message.content)).strip(), LONGEST_READ)
    origin = message.copy_of or message.id
    return Line(message=origin, role=message.role, text=text) if text else None
