"""Run a trial: store all items, ask all questions, and keep what search and contexts found."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, TypeAlias

from bench.evaluation.baseline import rank_by_words
from bench.evaluation.haystack import Haystack, Item, Question, QuestionSet, Way
from erstwhile import Context, InvalidInputError, Memory
from erstwhile.facts.fact import MAX_TEXT
from erstwhile.search.terms import query_terms
from erstwhile.types import ContextItem

Ranking: TypeAlias = Sequence[str]

LIMITS = (10, 50)
"""How many hits are asked for: a search for more may order the first ones differently."""
_PATIENCE = 5.0
"""Seconds after which an embedder that embedded nothing is given up."""
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_MIN_WORDS = 4
"""A shorter sentence may be in many messages, so quoting it says nothing about its source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One context: the share of the evidence that it quotes, and its number of tokens."""

    evidence: float
    tokens: int

    @property
    def is_complete(self) -> bool:
        """Whether it quotes all of the evidence."""
        return self.evidence == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found for a question."""

    question: Question
    found: Mapping[int, Ranking] = field(hash=False)
    """Ids, best first, by the number of hits that was asked for."""
    baseline: Ranking
    shown: Mapping[int, Shown] = field(default_factory=dict, hash=False)
    """The contexts by their budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How the questions of a set are asked, each haystack in the scope of its own user."""

    way: Way
    budgets: Sequence[int] = ()
    """The tokens of the contexts that are made for each question."""
    flush: bool = True
    """Whether everything gets its vector before the first question."""

    def run(self, memory: Memory, questions: QuestionSet) -> list[Answer]:
        """Store and ask one haystack after the other."""
        memory.recall("Is the model loaded?")
        return [
            answer
            for haystack in questions.haystacks
            for answer in self._asked(memory.scoped(user=haystack.name), haystack)
        ]

    def _asked(self, memory: Memory, haystack: Haystack) -> Iterator[Answer]:
        items, questions = len(haystack.items), len(haystack.questions)
        print(f"{haystack.name}: {items:,} texts, {questions:,} questions", file=sys.stderr)
        stored = store_haystack(memory, haystack, self.way, flush=self.flush)
        baselines = rank_by_words(haystack, max(LIMITS))
        for question, baseline in zip(haystack.questions, baselines, strict=True):
            yield Answer(
                question=question,
                found={limit: stored.search(question, limit) for limit in LIMITS},
                baseline=baseline,
                shown={tokens: stored.shown(question, tokens) for tokens in self.budgets},
            )


@dataclass(frozen=True, slots=True)
class StoredHaystack:
    """A haystack in a memory. Repeated texts are one fact, which stands for several items."""

    memory: Memory
    way: Way
    items: Mapping[str, Sequence[Item]] = field(hash=False)
    """The items by the id of their fact or message."""
    asked_at: datetime | None = None
    """The date of the questions; None is now."""

    def search(self, question: Question, limit: int) -> list[str]:
        """Return what is found for a question: ids of items, or of sessions."""
        found = self._records(question.text, limit)
        return _evidence_ids((item for id in found for item in self.items[id]), question)

    def shown(self, question: Question, tokens: int) -> Shown:
        """Return what a context of so many tokens has of the evidence of a question."""
        context = self.memory.context(question.text, tokens, now=self.asked_at)
        quoted = _evidence_ids(quoted_items(context, self.items), question)
        relevant = set(question.relevant)
        share = len(relevant.intersection(quoted)) / len(relevant)
        return Shown(evidence=share, tokens=context.report.tokens)

    def _records(self, query: str, limit: int) -> list[str]:
        if self.way is Way.FACTS:
            return [hit.fact.id for hit in self.memory.recall(query, limit, now=self.asked_at)]
        hits = self.memory.conversations.search(query, limit=limit, now=self.asked_at)
        return [hit.message.id for hit in hits]


def _evidence_ids(items: Iterable[Item], question: Question) -> list[str]:
    """Return what a question names as evidence: ids of items, or of sessions, once each."""
    return list(dict.fromkeys(item.session if question.by_session else item.id for item in items))


def store_haystack(
    memory: Memory, haystack: Haystack, way: Way, *, flush: bool = True
) -> StoredHaystack:
    """Store all items; with `flush`, wait for their vectors."""
    add = _add_facts if way is Way.FACTS else _add_messages
    items: dict[str, list[Item]] = {}
    for item, id in zip(haystack.items, add(memory, haystack.items), strict=True):
        items.setdefault(id, []).append(item)
    if flush:
        _embed(memory, haystack.name)
    return StoredHaystack(memory, way, items, haystack.asked_at)


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


def _embed(memory: Memory, name: str) -> None:
    """Wait until everything has a vector; raise InvalidInputError if the embedder cannot."""
    before, waiting = None, memory.flush(0).texts
    while waiting:
        if before is not None and waiting >= before:
            raise InvalidInputError(
                f"the embedder left {waiting:,} texts of {name} without a vector",
                remedy="choose another one with --embedder, or ask at once with --no-flush",
            )
        before, waiting = waiting, memory.flush(_PATIENCE).texts


def quoted_items(context: Context, stored: Mapping[str, Sequence[Item]]) -> list[Item]:
    """Return the items that a context quotes.

    An item counts if it is itself quoted, in full or in part, or if another record, such as a fact
    that was learned from it, quotes a whole sentence of it.
    """
    quoted = {id: None for each in context.items for id in _sources(each) if id in stored}
    others = [each for each in context.items if not quoted.keys() & set(_sources(each))]
    sentences = {_plain(said) for each in others for said in _long_sentences(each.text)}
    rest = (item for id in stored if id not in quoted for item in stored[id])
    return [
        *(item for id in quoted for item in stored[id]),
        *(item for item in rest if sentences and _has_any(sentences, item.text)),
    ]


def _sources(item: ContextItem) -> tuple[str, ...]:
    return item.id, getattr(item.source, "id", item.id)


def _long_sentences(text: str) -> Iterator[str]:
    for part in _SENTENCE_END.split(text):
        if part and len(query_terms(part)) >= _MIN_WORDS:
            yield part


def _has_any(sentences: Iterable[str], text: str) -> bool:
    plain = _plain(text)
    return any(sentence in plain for sentence in sentences)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
