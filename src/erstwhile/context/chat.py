"""A context as chat messages that every provider takes.

The system message comes first, then roles alternate, beginning with the user. Providers refuse two
messages of one role in a row, empty ones, and results of tools without the call. So messages of one
role are merged, and what is neither the user's nor the assistant's is quoted as data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from erstwhile.context.quoting import quoted, without_marks
from erstwhile.conversations.conversation import Compaction, Message, Role
from erstwhile.core.memory_markers import CLOSING, OPENING
from erstwhile.core.text import check_storable
from erstwhile.secrets.masking import mask_text

ChatMessage: TypeAlias = dict[str, str]
"""A message with `role` and `content`."""
_LONGEST = 10_000_000
_SUMMARY, _TOOL_SUMMARY = "summary", "summary, also of tools"
_GAP = "\n\n"


def chat_messages(
    prefix: str, tail: str, said: Sequence[Message | Compaction], user: str | None
) -> list[ChatMessage]:
    """Return the messages of a prompt: system, history, and the user's message after the tail."""
    system = prefix if user is not None else prefix + tail
    turns = [*_turns(said)]
    if user is not None:
        check_storable(user, "user", _LONGEST)
        if turns and turns[-1] == (Role.USER, without_marks(mask_text(user))):
            turns.pop()  # it is stored already, without its secrets
        turns.append((Role.USER, f"{tail}\n{user}" if tail else user))
    merged = [*_merged(turns)]
    return [{"role": Role.SYSTEM.value, "content": system}, *merged] if system else merged


def _turns(said: Iterable[Message | Compaction]) -> Iterator[tuple[Role, str]]:
    """Yield each message with a role that a chat has. Before the first of the user all is data."""
    begun = False
    for each in said:
        if isinstance(each, Compaction):
            yield Role.USER, _data(_TOOL_SUMMARY if each.of_tools else _SUMMARY, each.summary)
            continue
        begun = begun or each.role is Role.USER
        if each.content.strip():
            yield _turn(each, begun=begun)


def _turn(message: Message, *, begun: bool) -> tuple[Role, str]:
    if message.role is Role.USER or (message.role is Role.ASSISTANT and begun):
        return message.role, without_marks(message.content)
    return Role.USER, _data(message.role, message.content)


def _data(label: str, text: str) -> str:
    return f"{OPENING}\n{quoted(label, text)}{CLOSING}"


def _merged(turns: Iterable[tuple[Role, str]]) -> Iterator[ChatMessage]:
    """Yield one message for each run of messages of one role."""
    run: list[str] = []
    speaker: Role | None = None
    for role, content in turns:
        if role is not speaker and speaker is not None:
            yield {"role": speaker.value, "content": _GAP.join(run)}
            run = []
        speaker = role
        run.append(content)
    if speaker is not None:
        yield {"role": speaker.value, "content": _GAP.join(run)}
