"""Store the items of a haystack as facts or as messages, and search them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeAlias

from erstwhile.core.errors import InvalidInputError
from erstwhile.evaluation.haystack import Haystack, Item, Question, Way
from erstwhile.evaluation.progress import Tell
from erstwhile.facts.draft import MAX_TEXT
from erstwhile.memory import Memory

_PATIENCE = 5.0
"""Seconds after which an embedder that embedded nothing is given up."""

_Ids: TypeAlias = Mapping[str, Sequence[Item]]


@dataclass(frozen=True, slots=True)
class Stored:
    """A haystack in a memory. Repeated texts are one fact, which stands for several items."""

    memory: Memory
    way: Way
    items: _Ids = field(hash=False)
    """The items by the id of their fact or message."""

    def search(self, question: Question, limit: int) -> list[str]:
        """Return what is found for a question: ids of items, or of sessions."""
        found = self._records(question.text, limit)
        return self.relevant_ids((item for id in found for item in self.items[id]), question)

    def relevant_ids(self, items: Iterable[Item], question: Question) -> list[str]:
        """Return what a question names as evidence: ids of items, or of sessions, once each."""
        ids = (item.session if question.by_session else item.id for item in items)
        return list(dict.fromkeys(ids))

    def _records(self, query: str, limit: int) -> list[str]:
        if self.way is Way.FACTS:
            return [hit.fact.id for hit in self.memory.recall(query, limit)]
        hits = self.memory.conversations.search(query, limit=limit)
        return [hit.message.id for hit in hits]


def store(memory: Memory, haystack: Haystack, way: Way) -> Stored:
    """Store all items; they wait for their vectors."""
    add = _add_facts if way is Way.FACTS else _add_messages
    items: dict[str, list[Item]] = {}
    for item, id in zip(haystack.items, add(memory, haystack.items), strict=True):
        items.setdefault(id, []).append(item)
    return Stored(memory, way, items)


def embed(memory: Memory, name: str, tell: Tell) -> None:
    """Wait until everything has a vector; raise InvalidInputError if the embedder cannot."""
    before, waiting = None, memory.flush(0).texts
    while waiting:
        if before is not None and waiting >= before:
            raise InvalidInputError(
                f"the embedder left {waiting:,} texts of {name} without a vector",
                remedy="choose another one with --embedder, or ask at once with --no-flush",
            )
        tell(f"Embedding {name}: {waiting:,} texts wait…")
        before, waiting = waiting, memory.flush(_PATIENCE).texts


def _add_facts(memory: Memory, items: Sequence[Item]) -> list[str]:
    drafts: list[dict[str, Any]] = [
        {"text": item.text[:MAX_TEXT], **item.details} for item in items
    ]
    return [fact.id for fact in memory.remember_many(drafts)]


def _add_messages(memory: Memory, items: Sequence[Item]) -> list[str]:
    """Store each session as a conversation that is over."""
    ids: list[str] = []
    for _, said in groupby(items, key=lambda item: item.session):
        conversation = memory.conversations.start().id
        lines = [
            {"role": item.role, "content": item.text, "said_at": item.said_at} for item in said
        ]
        added = memory.conversations.add_many(lines, conversation=conversation)
        memory.conversations.close(conversation)
        ids += [message.id for message in added]
    return ids
