"""Chat programs: exports of ChatGPT and Claude, and agent files (`.af`) of Letta.

ChatGPT stores its memories in the conversations: each was written by a message to the tool `bio`.
Claude has a file `memories.json` with a text about all conversations, and one for each project.
An agent file of Letta has core memory blocks and messages, but no archival memory. The passages
come as the JSON list that the server returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportedMessage,
)
from erstwhile.integrations.importers.files import (
    list_of,
    object_of,
    read_file,
    read_json,
    text_of,
    time_of,
)
from erstwhile.integrations.importers.records import (
    FactFields,
    ImportedBlock,
    ImportedFact,
    ImportedRecords,
    facts_of,
    id_of,
)
from erstwhile.operations.results import Refusal

_CHATGPT_TOOL = "bio"
_ANSWERING = "send_message"
"""The tool by which a model speaks."""
_PASSAGE = FactFields(text="text", tags="tags", metadata="metadata")
_LETTA_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
"""Prompts and outputs of tools belong to the program, not to the conversation."""


def read_chatgpt(file: Path) -> ImportedRecords:
    """Return the conversations, and the memories that were written in them."""
    text = read_file(file)
    found, unreadable = read_conversations(text, file.stem)
    facts = {fact.text: fact for each in list_of(text) for fact in _bio_facts(object_of(each))}
    return ImportedRecords(
        facts=tuple(facts.values()), conversations=tuple(found), left_out=tuple(unreadable)
    )


def read_claude(file: Path) -> ImportedRecords:
    """Return the conversations of `conversations.json`, or the texts of `memories.json`."""
    text = read_file(file)
    records = list_of(text) or [object_of(text)]
    facts = [fact for each in records for fact in _claude_facts(object_of(each))]
    if facts:
        return ImportedRecords(facts=tuple(facts))
    found, unreadable = read_conversations(text, file.stem)
    return ImportedRecords(conversations=tuple(found), left_out=tuple(unreadable))


def _bio_facts(conversation: Mapping[str, Any]) -> Iterator[ImportedFact]:
    """Yield a fact for each line that a model wrote to its memory."""
    for id, node in object_of(conversation.get("mapping")).items():
        message = object_of(object_of(node).get("message"))
        if message.get("recipient") != _CHATGPT_TOOL:
            continue
        content = object_of(message.get("content"))
        parts = [*list_of(content.get("parts")), content.get("text")]
        for line in (line for part in parts for line in text_of(part).splitlines()):
            if said := line.strip().lstrip("-*").strip():
                since = time_of(message.get("create_time"))
                yield ImportedFact(id=id_of(id, said), text=said, since=since)


def _claude_facts(record: Mapping[str, Any]) -> Iterator[ImportedFact]:
    """Yield a fact for each paragraph and list item, without headings."""
    texts = {"": record.get("conversations_memory"), **object_of(record.get("project_memories"))}
    lines = [(id, line.strip()) for id in texts for line in text_of(texts[id]).splitlines()]
    for project, said in lines:
        is_heading = said.startswith("#") or (said.startswith("**") and said.endswith("**"))
        if said and not is_heading:
            statement = said.lstrip("-*").strip()
            about = {"project": project} if project else {}
            yield ImportedFact(id=id_of(statement), text=statement, metadata=about)


def read_letta(file: Path) -> ImportedRecords:
    """Return the blocks and the conversation of each agent in the file, or the passages."""
    whole = read_json(file)
    if isinstance(whole, list):
        return facts_of(_passages(whole), _PASSAGE.read, "passage")
    record = object_of(whole)
    agents = [*map(object_of, list_of(record.get("agents")))] or [record]
    found = list(_core_blocks(record, agents))
    blocks = {block.name: block for block in found if block.content}
    conversations = []
    for agent in agents:
        listed = enumerate(map(object_of, list_of(agent.get("messages"))), 1)
        said = tuple(filter(None, (_letta_message(each, number) for number, each in listed)))
        name = f"letta:{text_of(agent.get('name')) or file.stem}"
        conversations += [ImportedConversation(name=name, messages=said)] if said else []
    return ImportedRecords(
        blocks=tuple(blocks.values()),
        conversations=tuple(conversations),
        left_out=tuple(
            Refusal(place=f"block {block.name}", reason="it is empty")
            for block in found
            if not block.content
        ),
    )


def _passages(listed: list[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the passages of the archival memory with their numbers; parts of files are none."""
    for number, record in enumerate(map(object_of, listed), 1):
        if not record.get("file_id") and not record.get("is_deleted"):
            yield number, record if text_of(record.get("id")) else {}


def _core_blocks(
    record: Mapping[str, Any], agents: list[Mapping[str, Any]]
) -> Iterator[ImportedBlock]:
    """Yield the blocks. Newer files list them once, older ones inside of each agent."""
    inner = [block for agent in agents for block in list_of(agent.get("core_memory"))]
    for block in map(object_of, (*list_of(record.get("blocks")), *inner)):
        label, value = text_of(block.get("label")), text_of(block.get("value"))
        if label:
            about = text_of(block.get("description"))
            yield ImportedBlock(name=label, content=value, description=about)


def _letta_message(message: Mapping[str, Any], number: int) -> ImportedMessage | None:
    role = _LETTA_ROLES.get(text_of(message.get("role")))
    text = _user_text(message) if role is Role.USER else "\n".join(_assistant_texts(message))
    if role is None or not text:
        return None
    return ImportedMessage(
        id=text_of(message.get("id")) or str(number),
        role=role,
        content=text,
        at=time_of(message.get("created_at")),
    )


def _user_text(message: Mapping[str, Any]) -> str:
    """Return the words of a person, which the program wraps as JSON, like its events."""
    text = _message_text(message)
    event = object_of(text)
    if "type" not in event:
        return text
    return text_of(event.get("message")) if event["type"] == "user_message" else ""


def _assistant_texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answers of a model, also those through its tool for answers."""
    if text := _message_text(message):
        yield text
    for call in map(object_of, list_of(message.get("tool_calls"))):
        function = object_of(call.get("function"))
        if function.get("name") == _ANSWERING:
            yield text_of(object_of(function.get("arguments")).get("message"))


def _message_text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = [object_of(part).get("text") for part in content] if isinstance(content, list) else []
    return text_of(content) or "\n".join(filter(None, map(text_of, parts)))
