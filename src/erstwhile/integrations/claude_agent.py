"""Claude Agent SDK: transcripts of sessions in a memory, and hooks that use it.

memory = erstwhile.open("agent.db")
options = ClaudeAgentOptions(
    session_store=ErstwhileSessionStore(memory), hooks=memory_hooks(memory)
)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from claude_agent_sdk import HookMatcher, fold_session_summary

from erstwhile.conversations.conversation import Conversation, Role
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.results import all_items
from erstwhile.decisions.decision import DecisionRequest, Suggestion
from erstwhile.integrations.chat_items import ChatItems, role_and_text
from erstwhile.integrations.run_memory import MemoryOfRun, RunMemory
from erstwhile.memory import Memory

_PREFIX = "claude:"
_SESSION = "claude_session"


class ErstwhileSessionStore:
    """A copy of the transcripts; what the user says in them is learned in the background.

    An entry with a known `uuid` is stored once. Deleted sessions can be restored.
    """

    def __init__(self, memory: Memory, *, learn: bool = True) -> None:
        self._memory = memory
        self._learn = learn

    async def append(self, key: Mapping[str, str], entries: Sequence[Mapping[str, Any]]) -> None:
        """Append the entries that are not stored yet."""
        await asyncio.to_thread(self._append, key, entries)

    async def load(self, key: Mapping[str, str]) -> list[dict[str, Any]] | None:
        """Return the entries of a session, or None if there is no such session."""
        return await asyncio.to_thread(self._items(key).all) or None

    async def list_sessions(self, project_key: str) -> list[dict[str, Any]]:
        """Return the sessions of a project with the times of their last entries."""
        found = await asyncio.to_thread(self._channels, project_key)
        return [
            {"session_id": parts[1], "mtime": int(each.active_at.timestamp() * 1000)}
            for parts, each in found
            if len(parts) == 2
        ]

    async def list_session_summaries(self, project_key: str) -> list[dict[str, Any]]:
        summaries = []
        for session in await self.list_sessions(project_key):
            key = {"project_key": project_key, "session_id": session["session_id"]}
            summary = fold_session_summary(None, key, await self.load(key) or [])
            summaries.append({**summary, "mtime": session["mtime"]})
        return summaries

    async def delete(self, key: Mapping[str, str]) -> None:
        """Delete a session with its subkeys, or one subkey."""
        await asyncio.to_thread(self._delete, key)

    async def list_subkeys(self, key: Mapping[str, str]) -> list[str]:
        found = await asyncio.to_thread(self._channels, key["project_key"])
        return [p[2] for p, _ in found if len(p) == 3 and p[1] == key["session_id"]]

    def _append(self, key: Mapping[str, str], entries: Sequence[Mapping[str, Any]]) -> None:
        items = self._items(key)
        known = {each["uuid"] for each in items.all() if "uuid" in each}
        new = {each.get("uuid", index): dict(each) for index, each in enumerate(entries)}
        items.add(each for uuid, each in new.items() if uuid not in known)

    def _delete(self, key: Mapping[str, str]) -> None:
        wanted = _key_parts(key)
        for parts, conversation in self._channels(key["project_key"]):
            if parts[: len(wanted)] == wanted:
                self._memory.conversations.delete(conversation.id)

    def _items(self, key: Mapping[str, str]) -> ChatItems:
        parts = _key_parts(key)
        channel, about = _PREFIX + json.dumps(parts), {_SESSION: parts}
        return ChatItems(
            self._memory, channel, learn=self._learn, read=_role_and_text, metadata=about
        )

    def _channels(self, project: str) -> list[tuple[list[str], Conversation]]:
        listed = all_items(self._memory.conversations.list)
        ours = [each for each in listed if each.scope == self._memory.scope]
        named = [
            (list(each.metadata[_SESSION]), each) for each in ours if _SESSION in each.metadata
        ]
        return [(parts, each) for parts, each in named if parts[0] == project]


def memory_hooks(memory: Memory | MemoryOfRun, *, tokens: int = 1_500) -> dict[Any, Any]:
    """Return hooks: a prompt gets the context, and past decisions judge the calls of tools.

    `memory` is a memory, or a function that returns the one of an event of the SDK. A call that
    past decisions deny is denied, and one on which they disagree is asked for; nothing is allowed
    that would otherwise be asked for. If the memory fails, the prompt continues without it, and the
    call is asked for.
    """
    runs = RunMemory(memory, tokens)

    async def recall(event: Any, *_: Any) -> dict[str, Any]:
        text = await asyncio.to_thread(runs.context, event, event["prompt"])
        return _hook_output("UserPromptSubmit", additionalContext=text) if text else {}

    async def judge(event: Any, *_: Any) -> dict[str, Any]:
        request = DecisionRequest(
            goal=event["session_id"], tool=event["tool_name"], input=event["tool_input"]
        )

        def advised(memory: Memory) -> tuple[Suggestion, str]:
            advice = memory.decisions.advise(request, namespace="global")
            known = advice.suggestion is not Suggestion.ASK or advice.precedents or advice.unread
            return (advice.suggestion if known else Suggestion.ALLOW), advice.reason

        failed = Suggestion.ASK, "the memory of decisions cannot be read"
        suggestion, reason = await asyncio.to_thread(runs.tried, event, advised, failed)
        if suggestion is Suggestion.ALLOW:
            return {}
        decision = {"permissionDecision": str(suggestion), "permissionDecisionReason": reason}
        return _hook_output("PreToolUse", **decision)

    return {
        "UserPromptSubmit": [HookMatcher(hooks=[recall])],
        "PreToolUse": [HookMatcher(hooks=[judge])],
    }


def _hook_output(event: str, **fields: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def _key_parts(key: Mapping[str, str]) -> list[str]:
    subpath = key.get("subpath")
    return [key["project_key"], key["session_id"], *([subpath] if subpath else [])]


def _role_and_text(entry: Mapping[str, Any]) -> tuple[Role, str]:
    """Return the author and the words of an entry; an entry without a message has none."""
    try:
        return role_and_text(entry["message"])
    except (KeyError, InvalidInputError):
        return Role.ASSISTANT, ""
