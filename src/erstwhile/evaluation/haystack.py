"""A set to search and questions on it, whichever data they come from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to remember; `details` are those of `remember`."""

    id: str
    text: str
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something to ask, and the ids of what should be found."""

    text: str
    relevant: Collection[str]
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """What one memory holds, and what is asked of it."""

    name: str
    items: Sequence[Item]
    questions: Sequence[Question]
