"""Reading conversations that were held elsewhere: as lines, or exported by ChatGPT or Claude.

Which it is, is told by what stands in the file. A conversation of which a part cannot be read is
left out as a whole, so that nothing is imported by half.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from erstwhile.conversations.imported_chat import Chat, ChatMessage, Spoilt
from erstwhile.integrations import chatgpt_export, claude_export
from erstwhile.integrations.chat_parts import UnreadableError, message

Export = Callable[[Mapping[str, Any]], Chat]
_EXPORTS: dict[str, Export] = {
    "mapping": chatgpt_export.chat,
    "chat_messages": claude_export.chat,
}
"""How a conversation is read, by a field that only that export has."""


def read_chats(text: str, name: str) -> tuple[list[Chat], list[Spoilt]]:
    """The conversations of a file, and what of it could not be read; `name` is the file's."""
    whole = _json(text)
    items = whole if isinstance(whole, list) else [whole]
    marks = {mark for item in items if isinstance(item, dict) for mark in _EXPORTS if mark in item}
    if marks:
        return _exported(items)
    lines = items if isinstance(whole, list) else None
    return _grouped(_lines(text) if lines is None else enumerate(lines, 1), name)


def _exported(items: Sequence[Any]) -> tuple[list[Chat], list[Spoilt]]:
    chats, spoilt = list[Chat](), list[Spoilt]()
    for number, item in enumerate(items, 1):
        try:
            chats.append(_export_of(item)(item))
        except UnreadableError as error:
            spoilt.append(Spoilt(place=f"conversation {number}", reason=str(error)))
    return [chat for chat in chats if chat.messages], spoilt


def _export_of(item: Any) -> Export:
    for mark, export in _EXPORTS.items():
        if isinstance(item, dict) and mark in item:
            return export
    raise UnreadableError("it is not a conversation")


def _grouped(lines: Iterator[tuple[int, Any]], name: str) -> tuple[list[Chat], list[Spoilt]]:
    """By the conversation that each line names. A line of which that is unknown spoils all."""
    chats, spoilt, problems = dict[str, list[ChatMessage]](), set[str | None](), list[Spoilt]()
    for number, item in lines:
        within: str | None = None
        try:
            if not isinstance(item, dict):
                raise UnreadableError("it is not a JSON object")
            within = str(item.get("conversation") or name)
            said = chats.setdefault(within, [])
            said += filter(None, [_line(item, len(said) + 1)])
        except UnreadableError as error:
            spoilt.add(within)
            problems.append(Spoilt(place=f"line {number}", reason=str(error)))
    whole = [name for name, said in chats.items() if said and not {name, None} & spoilt]
    return [Chat(name=name, messages=tuple(chats[name])) for name in whole], problems


def _line(item: Mapping[str, Any], number: int) -> ChatMessage | None:
    if "content" not in item:
        raise UnreadableError("it has no content")
    id = str(item.get("id") or number)
    return message(id, item.get("role"), item["content"], item.get("at"))


def _lines(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):  # JSON may hold other separators raw
        if line.strip():
            yield number, _json(line)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
