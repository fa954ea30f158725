"""What messages have in common, however an export writes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.conversations.imported_chat import ChatMessage
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.time import parse_moment

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


def message(id: str, author: Any, content: Any, at: Any) -> ChatMessage | None:
    """What was said by whom and when; None if nothing was, as with a picture or a tool's call."""
    by, when, spoken = role(author), moment(at), text(content)
    return ChatMessage(id=id, role=by, content=spoken, at=when) if spoken.strip() else None


def fields(said: Any) -> Mapping[str, Any]:
    """Those of an object; what should be one and is none has none."""
    return said if isinstance(said, dict) else {}


def role(said: Any) -> Role:
    if said is None:
        raise UnreadableError("it has no role")
    found = _ROLES.get(said.lower()) if isinstance(said, str) else None
    if found is None:
        raise UnreadableError(f"its role is unknown: {said!r}"[:100])
    return found


def text(said: Any) -> str:
    """A text, or the texts of several parts; empty if there is none."""
    if isinstance(said, list):
        return "\n".join(filter(None, map(_part, said)))
    if said is not None and not isinstance(said, str):
        raise UnreadableError("its content is no text")
    return said or ""


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
