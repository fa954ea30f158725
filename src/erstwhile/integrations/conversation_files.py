"""Read conversations from files: one message per line, an export, or a transcript.

Exports are those of ChatGPT and Claude, transcripts those of Claude Code and Codex.

The format is detected from the content of the file. A conversation with an unreadable part is
skipped as a whole. Parts of an export that nobody said, such as thoughts and pictures, are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, TypeAlias

from erstwhile.conversations.chat_messages import read_message, text_of
from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.time import parse_moment
from erstwhile.integrations.coding_agents.transcripts import (
    channel_of,
    read_transcript,
    session_of,
)
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportedMessage,
    counted,
)
from erstwhile.integrations.importers.files import decoded_json, list_of, object_of, time_of
from erstwhile.operations.results import Refusal

FileContent: TypeAlias = tuple[list[ImportedConversation], list[Refusal]]
_CHATGPT_TEXTS = ("text", "multimodal_text", "code", "execution_output", "tether_quote")
"""Content types of messages. Other types, such as a user's profile, are added by the program."""
Passed: TypeAlias = list[tuple[str, str]]
"""Parts of an export that are not imported: what each is, and why."""
_REPLACED = ("messages", "another one replaced it")
_PARENT = "parent_message_uuid"
_BLANK = object()
"""Stands for a blank line."""


class UnreadableError(Exception):
    """Raised for a part of a file that has the wrong form. It never leaves this module."""


def read_conversations(text: str, name: str) -> FileContent:
    """Return the conversations of a file and its unreadable parts; `name` is the file's name."""
    if (session := session_of(text)) is not None:
        return _read_session(session, text)
    whole = decoded_json(text)
    items = whole if isinstance(whole, list) else [whole]
    if any(isinstance(item, dict) and not _READERS.keys().isdisjoint(item) for item in items):
        return _read_export(items)
    if not isinstance(whole, list):
        # JSON texts may contain other line separators.
        items = [decoded_json(line) if line.strip() else _BLANK for line in text.split("\n")]
    return _group(((at, item) for at, item in enumerate(items, 1) if item is not _BLANK), name)


def _read_session(session: str, text: str) -> FileContent:
    """Read a transcript of Claude Code or Codex; later hooks continue its conversation."""
    said = [
        ImportedMessage(
            id=f"{each.id or session}#{number}",
            role=Role(each.role),
            content=each.content,
            at=_parsed_time(each.at),
        )
        for number, each in enumerate(read_transcript(text), 1)
    ]
    found = ImportedConversation(name=channel_of(session), messages=tuple(said))
    return ([found] if said else []), []


def _read_export(items: Sequence[Any]) -> FileContent:
    conversations, unreadable = list[ImportedConversation](), list[Refusal]()
    passed: Passed = []
    for number, item in enumerate(items, 1):
        try:
            known = [
                _READERS[field] for field in _READERS if isinstance(item, dict) and field in item
            ]
            if not known:
                raise UnreadableError("it is not a conversation")
            own: Passed = []
            conversations.append(known[0](item, own))
            passed += own
        except UnreadableError as error:
            unreadable.append(Refusal(place=f"conversation {number}", reason=str(error)))
    said = [each for each in conversations if each.messages]
    passed += [("conversations", "it has no messages")] * (len(conversations) - len(said))
    return said, [*unreadable, *counted(passed)]


def _group(lines: Iterator[tuple[int, Any]], name: str) -> FileContent:
    """Group lines by conversation. If the conversation of a bad line is unknown, skip them all."""
    found: dict[str, list[ImportedMessage]] = {}
    spoiled: set[str | None] = set()
    unreadable: list[Refusal] = []
    for number, item in lines:
        conversation: str | None = None
        try:
            if not isinstance(item, dict):
                raise UnreadableError("it is not a JSON object")
            conversation = str(item.get("conversation") or name)
            messages = found.setdefault(conversation, [])
            if "content" not in item:
                raise UnreadableError("it has no content")
            id = str(item.get("id") or len(messages) + 1)
            messages += _messages_by_author(id, item, item.get("at"))
        except UnreadableError as error:
            spoiled.add(conversation)
            unreadable.append(Refusal(place=f"line {number}", reason=str(error)))
    readable = [
        ImportedConversation(name=each, messages=tuple(messages))
        for each, messages in found.items()
        if messages and not {each, None} & spoiled
    ]
    return readable, unreadable


def _read_chatgpt(item: Mapping[str, Any], passed: Passed) -> ImportedConversation:
    """Read a conversation of ChatGPT: the current branch of a tree of messages."""
    name = item.get("conversation_id") or item.get("id")
    if not isinstance(item["mapping"], dict) or not isinstance(name, str):
        raise UnreadableError("it has no id or no messages")
    branch = list(_branch(item["mapping"], item.get("current_node")))
    read = (_chatgpt_message(id, node, passed) for id, node in reversed(branch))
    others = item["mapping"].keys() - dict(branch)
    passed += [_REPLACED] * sum(map(bool, (_chatgpt_text(item["mapping"][id]) for id in others)))
    return ImportedConversation(
        name=f"chatgpt:{name}",
        messages=tuple(chain.from_iterable(read)),
        metadata=_title_and_times(
            item, title="title", started_at="create_time", updated_at="update_time"
        ),
    )


def _branch(nodes: Mapping[str, Any], last: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the nodes from the last message back to the root. Stop if they form a cycle."""
    left = dict(nodes)
    at = last if isinstance(last, str) and last in left else _newest_leaf(left)
    while isinstance(at, str) and isinstance(node := left.pop(at, None), dict):
        yield at, node
        at = node.get("parent")


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    """Return the last node without a child, by the time of its message: the file names none."""
    times = dict[str, float]()
    for id, node in nodes.items():
        children = node.get("children") if isinstance(node, dict) else [id]
        known = children if isinstance(children, list) else []
        if not any(isinstance(child, str) and child in nodes for child in known):
            time = object_of(node.get("message")).get("create_time")
            times[id] = float(time) if isinstance(time, int | float) else 0.0
    return max(times, key=times.__getitem__, default=None)


def _chatgpt_message(id: str, node: Mapping[str, Any], passed: Passed) -> list[ImportedMessage]:
    """Return the message of a node; none if the node is empty, hidden or has no message."""
    message = object_of(node.get("message"))
    content = object_of(message.get("content"))
    kind = content.get("content_type")
    hidden = object_of(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if hidden or kind not in _CHATGPT_TEXTS:
        if message and (kind not in _CHATGPT_TEXTS or _chatgpt_text(node)):
            passed.append(("messages", "it is hidden" if hidden else f"its type is {kind}"))
        return []
    passed += [
        ("parts of messages", f"its type is {part.get('content_type', 'unknown')}")
        for part in list_of(content.get("parts"))
        if isinstance(part, dict) and part and not text_of([part])
    ]
    said = {"role": object_of(message.get("author")).get("role"), "content": _chatgpt_text(node)}
    return _messages_by_author(id, said, message.get("create_time"))


def _chatgpt_text(node: Any) -> str:
    content = object_of(object_of(object_of(node).get("message")).get("content"))
    return text_of(content.get("parts") or content.get("text"))


def _read_claude(item: Mapping[str, Any], passed: Passed) -> ImportedConversation:
    """Read a conversation of Claude: a list of messages."""
    name, messages = item.get("uuid"), item["chat_messages"]
    if not isinstance(name, str) or not isinstance(messages, list):
        raise UnreadableError("it has no id or no messages")
    shown = _messages_of_branch(messages, item.get("current_leaf_message_uuid"))
    read = (_claude_message(message, number, passed) for number, message in shown)
    passed += [_REPLACED] * (len(messages) - len(shown))
    summary = item.get("summary")
    return ImportedConversation(
        name=f"claude:{name}",
        messages=tuple(chain.from_iterable(read)),
        metadata=_title_and_times(
            item, title="name", started_at="created_at", updated_at="updated_at"
        )
        | ({"summary": summary} if summary and isinstance(summary, str) else {}),
    )


def _title_and_times(item: Mapping[str, Any], *, title: str, **times: str) -> dict[str, Any]:
    """Return the title and the times of a conversation, for its metadata."""
    name = " ".join(item[title].split("\0")) if isinstance(item.get(title), str) else ""
    named = {"title": name} if name else {}
    found = {name: time_of(item.get(field)) for name, field in times.items()}
    return named | {name: time.isoformat() for name, time in found.items() if time}


def _messages_of_branch(messages: Sequence[Any], last: Any) -> list[tuple[int, Any]]:
    """Return the messages with their numbers; if each names its parent, those of one branch.

    An edited message begins a new branch. The last one in use is named, or ends the list.
    """
    numbered = list(enumerate(messages, 1))
    tree = {object_of(each).get("uuid"): (at, each) for at, each in numbered}
    if not messages or not all(object_of(each).get(_PARENT) for each in messages):
        return numbered
    found, at = list[tuple[int, Any]](), last if last in tree else object_of(messages[-1])["uuid"]
    while at in tree:
        found.append(tree.pop(at))
        at = found[-1][1].get(_PARENT)
    return found[::-1]


def _claude_message(message: Any, number: int, passed: Passed) -> list[ImportedMessage]:
    if not isinstance(message, dict):
        raise UnreadableError(f"its message {number} is not a JSON object")
    id, said = str(message.get("uuid") or number), message.get("content")
    if isinstance(said, list):  # leave out thoughts, and what was sent to a tool
        kinds = [
            str(each.get("type", "text")) if isinstance(each, dict) else "text" for each in said
        ]
        passed += [("parts of messages", f"its type is {kind}") for kind in kinds if kind != "text"]
        said = text_of([each for each, kind in zip(said, kinds, strict=True) if kind == "text"])
    for name in ("attachments", "files"):
        passed += [(name, "nobody said it")] * len(list_of(message.get(name)))
    given = {"role": message.get("sender"), "content": said or message.get("text")}
    return _messages_by_author(id, given, message.get("created_at"))


_READERS: dict[str, Callable[[Mapping[str, Any], Passed], ImportedConversation]] = {
    "mapping": _read_chatgpt,
    "chat_messages": _read_claude,
}
"""The reader of each export format, by a field that only this format has."""


def _messages_by_author(id: str, message: Mapping[str, Any], at: Any) -> list[ImportedMessage]:
    """Return what each author wrote in a message, without what has no text, such as a picture."""
    sent_at = _parsed_time(at)
    try:
        read = [*read_message({**message, "content": message.get("content") or ""})]
    except InvalidInputError as error:
        raise UnreadableError(error.message) from None
    return [
        ImportedMessage(
            id=f"{id}.{n}" if n else id, role=each.role, content=each.content, at=sent_at
        )
        for n, each in enumerate(each for each in read if each.content.strip())
    ]


def _parsed_time(value: Any) -> datetime | None:
    """Parse a time: seconds since 1970, or a date as text."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        return parse_moment(value, now=datetime.now(UTC), name="at")
    except (InvalidInputError, ValueError, OverflowError, OSError):
        raise UnreadableError(f"its time cannot be parsed: {value!r}"[:100]) from None
