"""Letta: agent files (`.af`) with core memory blocks and messages, and lists of passages.

An agent file has no archival memory. The passages come as the JSON list that the server returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportedMessage,
    UnreadablePart,
)
from erstwhile.integrations.ways_in.arrivals import (
    Arrivals,
    ForeignBlock,
    ForeignFact,
    facts_of,
)
from erstwhile.integrations.ways_in.files import list_of, object_of, read_json, text_of, time_of

_ANSWERING = "send_message"
"""The tool by which a model speaks."""
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
"""Prompts and outputs of tools belong to the program, not to what was said."""


def read(file: Path) -> Arrivals:
    """Return the blocks and the conversation of each agent in the file, or the passages."""
    whole = read_json(file)
    if isinstance(whole, list):
        return facts_of(_passages(whole), _fact, "passage")
    told = object_of(whole)
    agents = [*map(object_of, list_of(told.get("agents")))] or [told]
    found = list(_blocks(told, agents))
    blocks = {block.name: block for block in found if block.content}
    talks = (_conversation(agent, file.stem) for agent in agents)
    return Arrivals(
        blocks=tuple(blocks.values()),
        conversations=tuple(talk for talk in talks if talk.messages),
        left_out=tuple(
            UnreadablePart(place=f"block {block.name}", reason="it is empty")
            for block in found
            if not block.content
        ),
    )


def _passages(listed: list[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the passages of the archival memory with their numbers; parts of files are none."""
    for number, told in enumerate(map(object_of, listed), 1):
        if not told.get("file_id") and not told.get("is_deleted"):
            yield number, told


def _fact(told: Mapping[str, Any]) -> Iterator[ForeignFact]:
    text, id = text_of(told.get("text")), text_of(told.get("id"))
    if not text or not id:
        return
    yield ForeignFact(
        id=id,
        text=text,
        tags=[tag for tag in list_of(told.get("tags")) if text_of(tag)],
        metadata=dict(object_of(told.get("metadata"))),
        since=time_of(told.get("created_at")),
    )


def _blocks(told: Mapping[str, Any], agents: list[Mapping[str, Any]]) -> Iterator[ForeignBlock]:
    """Yield the blocks. Newer files list them once, older ones inside of each agent."""
    inner = [block for agent in agents for block in list_of(agent.get("core_memory"))]
    for block in map(object_of, (*list_of(told.get("blocks")), *inner)):
        label, value = text_of(block.get("label")), text_of(block.get("value"))
        if label:
            about = text_of(block.get("description"))
            yield ForeignBlock(name=label, content=value, description=about)


def _conversation(agent: Mapping[str, Any], name: str) -> ImportedConversation:
    messages = map(object_of, list_of(agent.get("messages")))
    read = (_message(message, number) for number, message in enumerate(messages, 1))
    of_agent = text_of(agent.get("name")) or name
    return ImportedConversation(name=f"letta:{of_agent}", messages=tuple(filter(None, read)))


def _message(message: Mapping[str, Any], number: int) -> ImportedMessage | None:
    role = _ROLES.get(text_of(message.get("role")))
    text = _said(message) if role is Role.USER else "\n".join(_answered(message))
    if role is None or not text:
        return None
    return ImportedMessage(
        id=text_of(message.get("id")) or str(number),
        role=role,
        content=text,
        at=time_of(message.get("created_at")),
    )


def _said(message: Mapping[str, Any]) -> str:
    """Return what a person said. The program wraps it as JSON, and its own events, too."""
    text = _text(message)
    event = object_of(text)
    if "type" not in event:
        return text
    return text_of(event.get("message")) if event["type"] == "user_message" else ""


def _answered(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a model answered, also by its tool for answers."""
    if text := _text(message):
        yield text
    for call in map(object_of, list_of(message.get("tool_calls"))):
        function = object_of(call.get("function"))
        if function.get("name") == _ANSWERING:
            yield text_of(object_of(function.get("arguments")).get("message"))


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = [object_of(part).get("text") for part in content] if isinstance(content, list) else []
    return text_of(content) or "\n".join(filter(None, map(text_of, parts)))
