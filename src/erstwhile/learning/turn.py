"""A turn of a conversation as input for learning, and its shortened form for a prompt.

Recalled memory, system prompts and messages that a program injected are left out: recalled text is
not new evidence, and would be learned again in every session. Secrets are masked before any
other code sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.conversations.conversation import LEARN_TO, Message, Role
from erstwhile.core.kinds import Origin
from erstwhile.core.scope import DIMENSIONS, Scope
from erstwhile.core.text import without_memory
from erstwhile.secrets.masking import mask_text

_ORIGINS = {Role.USER: Origin.LEARNED, Role.ASSISTANT: Origin.AGENT, Role.TOOL: Origin.TOOL}
INJECTED = "injected"
"""The metadata field of a message that a program injected."""
MAX_READ = 50_000
"""The number of characters that are read of a message: of a longer one, its beginning and end."""
MAX_LINE = {Role.USER: 6_000, Role.ASSISTANT: 400, Role.TOOL: 1_500}
"""The characters of a message in a prompt. Facts come from the user's messages."""
MAX_BEFORE = 600
"""The characters of a message of the exchange before in a prompt."""
MAX_TURN = 20_000
GAP = " […] "


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """The text of one message, without secrets and without recalled memory."""

    message: str
    """The id of the message; of a copy, the id of the original."""
    role: Role
    text: str
    after_tools: bool = False
    """Whether a tool spoke before it in the conversation."""

    @property
    def origin(self) -> Origin:
        """The origin of a fact that is learned from this line.

        An assistant may repeat, translate or summarise what a tool said. So after a tool spoke, its
        words count as those of the tool.
        """
        if self.role is Role.ASSISTANT and self.after_tools:
            return Origin.TOOL
        return _ORIGINS[self.role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message of the user and all messages up to the user's next one."""

    conversation: str
    scope: Scope
    said_at: datetime
    lines: tuple[TurnLine, ...]
    position: int = 1
    """The position of its first message in the conversation."""
    before: tuple[TurnLine, ...] = ()
    """The exchange before: what the user answers and refers to. Nothing is learned from it."""
    earlier: tuple[TurnLine, ...] = ()
    """The messages before that: who said a word first."""
    learn_to: Scope | None = None
    """The scope of all facts from this turn, if the caller chose one."""

    def spoken_by(self, *roles: Role) -> str:
        """Return the texts of these roles, joined."""
        return "\n".join(line.text for line in self.lines if line.role in roles)


def to_turn(
    messages: Sequence[Message], before: Sequence[Message] = (), *, after_tools: bool = False
) -> Turn | None:
    """Return the messages as a turn; None if nothing in them may be learned from.

    `after_tools` is whether a tool spoke before all of these messages.
    """
    lines = list(_lines((*before, *messages), after_tools=after_tools))
    said = tuple(line for line in lines[len(before) :] if line)
    if not said:
        return None
    first = messages[0]
    return Turn(
        conversation=first.conversation,
        scope=first.scope,
        said_at=first.said_at,
        position=first.position,
        lines=said,
        before=tuple(line for line in lines[: len(before)] if line),
        learn_to=_learn_to(first),
    )


def earlier_lines(messages: Iterable[Message], before: Turn) -> tuple[TurnLine, ...]:
    """Return the messages of a conversation before a turn and before the exchange it follows."""
    known = {line.message for line in (*before.before, *before.lines)}
    lines = _lines(messages, after_tools=False)
    return tuple(line for line in lines if line and line.message not in known)


def _learn_to(message: Message) -> Scope | None:
    """Return the scope that the caller of `observe_turn` chose for the facts of a turn."""
    names = message.metadata.get(LEARN_TO)
    if not isinstance(names, list | tuple) or not set(names) <= set(DIMENSIONS):
        return None
    scope = message.scope
    return Scope(**{name: getattr(scope, name) for name in DIMENSIONS if name in names})


def _lines(messages: Iterable[Message], *, after_tools: bool) -> Iterator[TurnLine | None]:
    """Yield a line for each message; None for one that is not learned from."""
    for message in messages:
        text = ""
        if message.role is not Role.SYSTEM and not message.metadata.get(INJECTED):
            text = shortened(mask_text(without_memory(message.content)).strip(), MAX_READ)
        original = message.copy_of or message.id
        line = TurnLine(message=original, role=message.role, text=text, after_tools=after_tools)
        yield line if text else None
        after_tools = after_tools or message.role is Role.TOOL


def shortened(text: str, limit: int) -> str:
    """Return the text, or its beginning and its end with a mark between them.

    The conclusion of a message is often at its end, so the middle is cut out.
    """
    if len(text) <= limit:
        return text
    kept = limit - len(GAP)
    tail = kept // 2
    return text[: kept - tail] + GAP + text[len(text) - tail :]


def shown_lines(lines: Sequence[TurnLine]) -> list[tuple[TurnLine, str]]:
    """Return the lines for a prompt, with their shortened texts.

    If the total is too long, lines in the middle are dropped; the user's lines are dropped last.
    """
    shown = [(line, shortened(line.text, MAX_LINE[line.role])) for line in lines]
    while sum(len(text) for _, text in shown) > MAX_TURN and len(shown) > 1:
        others = [at for at, (line, _) in enumerate(shown) if line.role is not Role.USER]
        candidates = others or range(len(shown))
        del shown[candidates[len(candidates) // 2]]
    return shown


def shown_before(lines: Sequence[TurnLine]) -> list[tuple[TurnLine, str]]:
    """Return the lines of the exchange before for a prompt, without those of tools."""
    return [
        (line, shortened(line.text, MAX_BEFORE)) for line in lines if line.role is not Role.TOOL
    ]


_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MACHINE = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL"
    r"|TRACE|CRITICAL)[\]:| ]|Traceback \(most recent|File \"|at [\w.$<>]+\(|Caused by:"
    r"|[\w.]*(?:Error|Exception):|[$%] \S|>>> |\.\.\. |diff --git |@@ |\+\+\+ |--- \S|[+-] "
    r"?\w.*[;{(]$|import [\w.{*]+;?$|from [\w.]+ import |#include|(?:const|let|var) \w+ ?="
    r"|(?:async )?def \w+\(|func \w+\(|class \w+ ?[:({]|.*[;{}]$|[\])}]+[,;]?$"
)
_MAX_LENGTH = 300
"""The number of characters of a line that are examined."""


def without_code(text: str) -> str:
    """Return the text without blocks of code and recalled memory."""
    return _CODE.sub("\n", without_memory(text))


def is_machine_text(line: str) -> bool:
    """Return whether a line looks like a log, a stack trace or a program."""
    return _MACHINE.match(line.strip()[:_MAX_LENGTH]) is not None
