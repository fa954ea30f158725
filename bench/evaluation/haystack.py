"""A haystack: items to store, and questions about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from random import Random
from typing import Any

_SEED = 13


class Way(StrEnum):
    """How items are stored."""

    FACTS = "facts"
    MESSAGES = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text to store: as a fact with `details`, or as a message of a session."""

    id: str
    text: str
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The arguments of `remember` besides the text."""
    role: str = "user"
    session: str = ""
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and the ids of the items that answer it."""

    text: str
    relevant: Collection[str]
    category: str = ""
    by_session: bool = False
    """Whether `relevant` has ids of sessions, because no items are marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """The items of one memory, and the questions about them."""

    name: str
    items: Sequence[Item]
    questions: Sequence[Question]
    asked_at: datetime | None = None
    """The date of the questions; None is now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """All haystacks of a file, and how they are usually stored."""

    name: str
    haystacks: Sequence[Haystack]
    way: Way

    def sampled(self, count: int) -> QuestionSet:
        """Return the set with `count` questions, always the same ones, and their haystacks."""
        pairs = [(hay, each) for hay in self.haystacks for each in hay.questions]
        kept = Random(_SEED).sample(pairs, min(count, len(pairs)))
        chosen = {(hay.name, id(question)) for hay, question in kept}
        thinned = [
            replace(hay, questions=[q for q in hay.questions if (hay.name, id(q)) in chosen])
            for hay in self.haystacks
        ]
        return replace(self, haystacks=[hay for hay in thinned if hay.questions])
