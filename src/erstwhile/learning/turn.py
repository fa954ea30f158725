"""A turn of a conversation as something to learn from: who said what, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Origin
from erstwhile.core.scope import Scope

_ORIGINS = {Role.USER: Origin.LEARNED, Role.ASSISTANT: Origin.AGENT, Role.TOOL: Origin.TOOL}
TRUSTED_FIRST = tuple(_ORIGINS)
"""Those of whose words something is learned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What of one message may be learned from: without secrets, and without recalled memory."""

    message: str
    """The id of the message; of a copy, that of the message it was copied from."""
    role: Role
    text: str

    @property
    def origin(self) -> Origin:
        """Who answers for what is learned from it."""
        return _ORIGINS[self.role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a user said and what followed, up to the next thing that the user said."""

    conversation: str
    scope: Scope
    said_at: datetime
    lines: tuple[Line, ...]

    def spoken_by(self, *roles: Role) -> str:
        """All that these said, one text after the other."""
        return "\n".join(line.text for line in self.lines if line.role in roles)


def least_trusted(lines: Iterable[Line]) -> Origin:
    """Who answers for what several lines say together."""
    return max(lines, key=lambda line: TRUSTED_FIRST.index(line.role)).origin
