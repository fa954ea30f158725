"""What ChatGPT and Claude remembered about a person, in the exports of their data.

ChatGPT keeps its memories in the conversations: each was written by a message to the tool `bio`.
Claude has a file `memories.json` with a text about all conversations, and one for each project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact, id_of
from erstwhile.integrations.ways_in.files import list_of, object_of, read_file, text_of, time_of

_TOOL = "bio"


def read_chatgpt(file: Path) -> Arrivals:
    """Return the conversations, and the memories that were written in them."""
    text = read_file(file)
    found, unreadable = read_conversations(text, file.stem)
    facts = {fact.text: fact for each in list_of(text) for fact in _written(object_of(each))}
    return Arrivals(
        facts=tuple(facts.values()), conversations=tuple(found), left_out=tuple(unreadable)
    )


def read_claude(file: Path) -> Arrivals:
    """Return the conversations of `conversations.json`, or the texts of `memories.json`."""
    text = read_file(file)
    told = list_of(text) or [object_of(text)]
    facts = [fact for each in told for fact in _remembered(object_of(each))]
    if facts:
        return Arrivals(facts=tuple(facts))
    found, unreadable = read_conversations(text, file.stem)
    return Arrivals(conversations=tuple(found), left_out=tuple(unreadable))


def _written(conversation: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """Yield a fact for each line that a model wrote to its memory."""
    for id, node in object_of(conversation.get("mapping")).items():
        message = object_of(object_of(node).get("message"))
        if message.get("recipient") != _TOOL:
            continue
        content = object_of(message.get("content"))
        parts = [*list_of(content.get("parts")), content.get("text")]
        for line in (line for part in parts for line in text_of(part).splitlines()):
            if said := line.strip().lstrip("-*").strip():
                since = time_of(message.get("create_time"))
                yield ForeignFact(id=id_of(id, said), text=said, since=since)


def _remembered(told: Mapping[str, Any]) -> Iterator[ForeignFact]:
    projects = object_of(told.get("project_memories"))
    for text in (told.get("conversations_memory"), *projects.values()):
        for said in _statements(text_of(text)):
            yield ForeignFact(id=id_of(said), text=said)


def _statements(text: str) -> Iterator[str]:
    """Yield the paragraphs and list items of a text, without headings."""
    for line in text.splitlines():
        said = line.strip()
        is_heading = said.startswith("#") or (said.startswith("**") and said.endswith("**"))
        if said and not is_heading:
            yield said.lstrip("-*").strip()
