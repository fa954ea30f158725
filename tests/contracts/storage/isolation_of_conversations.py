"""Calls of conversations, contexts, sessions and identities for the contract on isolation."""

from __future__ import annotations

from typing import Any

from erstwhile.context.model import Section
from erstwhile.conversations.collection import Conversations
from erstwhile.conversations.conversation import Conversation, Message
from erstwhile.conversations.sessions import Sessions
from erstwhile.memory import Memory
from erstwhile.profile.identities import Identities
from tests.contracts.storage.probing import Verb, by_id, with_arguments

COLLECTIONS = (Conversations, Sessions, Identities)
TREASURE = "the treasure is buried at noon"
STATUSES = (None, "active", "idle", "closed", "deleted")
SEARCHES: list[dict[str, Any]] = [
    {}, {"role": "tool"}, {"channel": "sea"}, {"since": "2020-01-01"}, {"limit": 1},
]  # fmt: skip

ASKING: dict[str, Verb] = {
    **by_id("conversations", "get message messages transcript"),
    "Conversations.list": lambda memory, _: [
        memory.conversations.list(status=status) for status in STATUSES
    ],
    "Conversations.summaries": lambda memory, _: [
        memory.conversations.summaries(), memory.conversations.summaries(channel="sea"),
    ],
    "Conversations.search": lambda memory, _: [
        memory.conversations.search(query, **asked)
        for query in ("TREASURE buried", "welcome everybody, bob")
        for asked in SEARCHES
    ],
    "Conversations.search in one": lambda memory, id: memory.conversations.search(
        "treasure", conversation=id
    ),
    "Conversations.search but one": lambda memory, id: memory.conversations.search(
        "treasure", exclude=id
    ),
    "Conversations.stats": lambda memory, _: memory.conversations.stats(),
    "Memory.context": lambda memory, _: [
        memory.context(query, tokens, needs=needs, channel="sea")
        for query in ("where is the TREASURE buried?", "is everybody welcome, Bob?", "")
        for tokens, needs in ((4_000, None), (300, list(Section)))
    ],
    "Memory.context of one": lambda memory, id: memory.context("treasure", conversation=id),
    "Sessions.get": lambda memory, _: memory.sessions.get(channel="sea"),
    "Sessions.list": lambda memory, _: memory.sessions.list(),
    "Identities.resolve": lambda memory, _: memory.identities.resolve("pirate"),
    "Identities.aliases": lambda memory, _: memory.identities.aliases("ana"),
    "Identities.list": lambda memory, _: memory.identities.list(),
}  # fmt: skip

CHANGING_BY_ID: dict[str, Verb] = {
    **by_id("conversations", "reopen undo branch expand delete restore erase"),
    "Conversations.close": lambda memory, id: memory.conversations.close(id, "over"),
    "Conversations.compact": lambda memory, id: memory.conversations.compact(id, "in short"),
    "Conversations.add to one": lambda memory, id: memory.conversations.add(
        "user", TREASURE, conversation=id
    ),
}
CHANGING: dict[str, Verb] = {
    "Conversations.current": lambda memory, _: memory.conversations.current("sea"),
    "Conversations.start": lambda memory, _: memory.conversations.start("sea"),
    "Conversations.add": lambda memory, _: memory.conversations.add(
        "user", TREASURE, channel="sea", key="once"
    ),
    "Conversations.add_exchange": lambda memory, _: memory.conversations.add_exchange(
        TREASURE, TREASURE, channel="sea", key="once"
    ),
    "Conversations.add_many": lambda memory, _: memory.conversations.add_many(
        [{"role": "user", "content": TREASURE, "key": "once"}], channel="sea"
    ),
    "Conversations.purge": lambda memory, _: memory.conversations.purge("0 days"),
    "Sessions.set": lambda memory, _: memory.sessions.set("s", channel="sea"),
    **with_arguments("sessions", clear=(), erase=()),
    **with_arguments("identities", link=("pirate", "bob"), unlink=("pirate",), erase=("pirate",)),
}


def talked(memory: Memory) -> list[Conversation | Message]:
    """Add messages and conversations in every state, and return them."""
    conversations = memory.conversations
    told = conversations.add("tool", TREASURE, channel="sea", key="once")
    conversations.compact(told.conversation, "a treasure")
    branch = conversations.branch(told.id)
    conversations.undo(branch.id)
    closed = conversations.add("user", "the treasure again", channel="shore")
    conversations.close(closed.conversation, "about the treasure", reason="the treasure is found")
    deleted = conversations.add("user", "a deleted treasure", channel="shore")
    conversations.delete(deleted.conversation)
    erased = conversations.add("user", "an erased treasure", channel="shore")
    conversations.erase(erased.conversation)
    memory.sessions.set("treasure", channel="sea")
    said = [told, closed, deleted, erased]
    return [*said, branch, *conversations.list(), *conversations.list(deleted=True)]
