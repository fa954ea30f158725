"""A statement that an extractor found in a turn, before anything has judged it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.core.kinds import Kind, Origin
from erstwhile.facts.fact import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What might become a fact, and what it might take the place of."""

    text: str
    """One declarative statement in the third person, as it would be stored."""
    kind: Kind = Kind.FACT
    key: str | None = None
    """Set if it is the one value of something, such as "name"."""
    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    valid_from: datetime | None = None
    """Since when it is true, if the turn says so."""
    expires_at: datetime | None = None
    confidence: float | None = None
    replaces: tuple[str, ...] = ()
    """Ids of the facts that it takes the place of, as far as the extractor was shown them."""
    instead_of: tuple[str, ...] = ()
    """The values that it takes the place of, in the words of the turn: "npm"."""
    ends: bool = False
    """Whether it only says that something is no longer so; `text` then says what was."""
    messages: tuple[str, ...] = ()
    """Ids of the messages that it was found in."""
    origin: Origin = Origin.LEARNED
    """Who answers for it: the least trusted of those messages' origins."""
    found_by: str = ""
    """The rule or the model that found it."""
