"""Create large memories: facts of several users, and long conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import erstwhile
from erstwhile import Memory
from erstwhile.core.ports import Embedder
from erstwhile.core.settings import Settings

CHUNK = 5_000
_LINES = 20
"""The messages of a conversation."""
_SETTINGS = Settings(synchronous="NORMAL")


def fill(
    path: Path,
    users: dict[str, Sequence[str]],
    embedder: Embedder,
    messages: dict[str, Sequence[str]] | None = None,
) -> Path:
    """Create a memory with the facts of these users, each user spread evenly over the file."""
    with erstwhile.open(path, embedder=embedder, settings=_SETTINGS) as memory:
        remember(memory, users)
        for user, texts in (messages or {}).items():
            converse(memory.scoped(user=user), texts)
        for user in {*users, *(messages or {})}:
            assert memory.scoped(user=user).flush(None).done
    return path


def remember(memory: Memory, users: dict[str, Sequence[str]]) -> None:
    longest = max((len(texts) for texts in users.values()), default=0)
    steps = -(-longest // CHUNK)
    for step in range(steps):
        for user, texts in users.items():
            memory.scoped(user=user).remember_many(_share(texts, step, steps))


def converse(memory: Memory, texts: Sequence[str]) -> None:
    """Store texts as messages of a user and an assistant, in conversations that are over."""
    for first in range(0, len(texts), _LINES):
        roles = ("user", "assistant") * (_LINES // 2)
        lines = [
            {"role": role, "content": text}
            for role, text in zip(roles, texts[first : first + _LINES], strict=False)
        ]
        conversation = memory.conversations.start().id
        memory.conversations.add_many(lines, conversation=conversation)
        memory.conversations.close(conversation)


def _share(texts: Sequence[str], step: int, steps: int) -> Sequence[str]:
    return texts[len(texts) * step // steps : len(texts) * (step + 1) // steps]
