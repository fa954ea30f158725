"""What messages have in common, however an export writes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.model.chat import ChatMessage
from recollect.model.conversation import Role
from recollect.model.errors import InvalidInputError
from recollect.model.time import parse_moment

_ROLES = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "developer": Role.SYSTEM,
    "function": Role.TOOL,
    **{role.value: role for role in Role},
}


class UnreadableError(Exception):
    """A part of a file that is not what it should be. It never leaves this package."""


def message(item: Mapping[str, Any], *, id: str) -> ChatMessage:
    """A message with `role` and `content`, and if it is said when."""
    return ChatMessage(
        id=id,
        role=role(item.get("role")),
        content=text(item.get("content")),
        at=moment(item.get("at")),
    )


def role(said: Any) -> Role:
    if said is None:
        raise UnreadableError("it has no role")
    found = _ROLES.get(said.lower()) if isinstance(said, str) else None
    if found is None:
        raise UnreadableError(f"its role is unknown: {said!r}"[:100])
    return found


def text(said: Any) -> str:
    """A text, or the texts of several parts."""
    if isinstance(said, list):
        said = "\n".join(filter(None, map(_part, said)))
    if not isinstance(said, str) or not said.strip():
        raise UnreadableError("it has no content")
    return said


def moment(said: Any) -> datetime | None:
    """Seconds since 1970, or a date as people write it."""
    if said is None or said == "":
        return None
    try:
        if isinstance(said, int | float) and not isinstance(said, bool):
            return datetime.fromtimestamp(said, UTC)
        return parse_moment(said, now=datetime.now(UTC), name="at")
    except (InvalidInputError, ValueError, OverflowError, OSError):
        raise UnreadableError(f"its time is not understood: {said!r}"[:100]) from None


def _part(part: Any) -> str:
    """A part that is no text, such as a picture, says nothing here."""
    if isinstance(part, dict):
        part = part.get("text")
    return part if isinstance(part, str) else ""
