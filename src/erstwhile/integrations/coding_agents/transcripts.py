"""Messages of a session of a coding agent, from its transcript or from the event of a hook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.conversations.chat_messages import text_of
from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING


class SessionMessage(NamedTuple):
    """A message of a session: who said it, its words, and its id and time if they are known."""

    role: str
    content: str
    id: str | None = None
    at: str | None = None


_NOT_STORED = re.compile(
    rf"<private>.*?(?:</private>|\Z)|{MEMORY_OPENING}.*?(?:{MEMORY_CLOSING}|\Z)"
    r"|<system-reminder>.*?(?:</system-reminder>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""Text that the user marked as private, and text that was added to the words of the user.

Without an end it extends to the end, so that many openings cost no quadratic time."""
_MAX_RESULT = 2_000
_TURNS = 2
"""The turns of a transcript that are compared with stored ones: the last, and one before it."""
_FIRST_LINES = 20
_ADDED = (
    "<command-", "<local-command-", "<bash-", "<task-notification", "<teammate-message",
    "<user-prompt-submit-hook", "Caveat: The messages below",
)  # fmt: skip
"""The beginnings of messages that Claude Code writes in the name of the user."""
_ASIDES = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
"""Marks of entries that nobody typed: a summary of the model has the role of the user, too."""


def without_private(text: str) -> str:
    """Return the words of a user without private parts and added context."""
    return _NOT_STORED.sub("", text).strip()


def channel_of(session: str) -> str:
    return f"coding:{session}"


def last_turns(messages: Sequence[SessionMessage]) -> list[dict[str, str]]:
    """Return the last turns of a session as `observe` takes them."""
    starts = [at for at, each in enumerate(messages) if each.role == "user"]
    first = starts[-_TURNS] if len(starts) >= _TURNS else 0
    return [{"role": each.role, "content": each.content} for each in messages[first:]]


def messages_of_event(event: Mapping[str, Any]) -> list[SessionMessage]:
    """Return the messages of an event at the end of a turn: all of the session, or the turn."""
    path, asked = event.get("transcript_path"), event.get("prompt")
    messages = read_transcript(_text_of(Path(path))) if isinstance(path, str) and path else []
    if not messages:
        messages = _public_message("user", asked)
    [*answer] = _public_message(
        "assistant", event.get("last_assistant_message") or event.get("prompt_response")
    )
    said = [each.content for each in messages[-1:]]
    if messages and said != [each.content for each in answer]:
        messages += answer  # the transcript may be written later
    return messages


def session_of(text: str) -> str | None:
    """Return the id of the session of a transcript, or None if the text is no transcript."""
    for entry in _entries(text.splitlines()[:_FIRST_LINES]):
        session = entry.get("sessionId")
        if isinstance(session, str) and "type" in entry:
            return session  # Claude Code
        payload = entry.get("payload")
        if entry.get("type") == "session_meta" and isinstance(payload, Mapping):
            return str(payload.get("id"))  # Codex
    return None


def read_transcript(text: str) -> list[SessionMessage]:
    """Return the messages of a transcript of Claude Code or Codex; other lines are skipped."""
    return [
        message._replace(id=entry.get("uuid"), at=entry.get("timestamp"))
        for entry in _entries(text.splitlines())
        for message in _messages_of_entry(entry)
    ]


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _entries(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry


def _messages_of_entry(entry: Mapping[str, Any]) -> list[SessionMessage]:
    kind, said = entry.get("type"), entry.get("message")
    if kind in ("user", "assistant") and isinstance(said, Mapping):  # Claude Code
        is_aside = any(map(entry.get, _ASIDES))
        return [] if is_aside else _claude_messages(str(kind), said.get("content"))
    payload = entry.get("payload")
    item = payload.get("item") if isinstance(payload, Mapping) else None
    if kind != "event_msg" or not isinstance(item, Mapping):
        return []
    role = {"UserMessage": "user", "AgentMessage": "assistant"}.get(str(item.get("type")))
    return _public_message(role, text_of(item.get("content"))) if role else []  # Codex


def _claude_messages(role: str, content: Any) -> list[SessionMessage]:
    """Return a message of Claude Code: a text, or texts and results of tools."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    objects = [each for each in parts if isinstance(each, Mapping)]
    results = [each.get("content") for each in objects if each.get("type") == "tool_result"]
    words = [each for each in objects if each.get("type") == "text"]
    returned = [_public_message("tool", text_of(each)[:_MAX_RESULT]) for each in results]
    return [*chain.from_iterable(returned), *_public_message(role, text_of(words))]


def _public_message(role: str, text: Any) -> list[SessionMessage]:
    """Return a message in a list, which is empty if nothing of it may be stored."""
    said = without_private(text) if isinstance(text, str) else ""
    return [SessionMessage(role, said)] if said and not said.startswith(_ADDED) else []
