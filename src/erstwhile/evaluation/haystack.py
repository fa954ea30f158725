"""A haystack: items to remember, and questions about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text to remember; `details` are those of `remember`."""

    id: str
    text: str
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and the ids of the items that answer it."""

    text: str
    relevant: Collection[str]
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """The items of one memory, and the questions about them."""

    name: str
    items: Sequence[Item]
    questions: Sequence[Question]
