"""The answer of recall: relevant records, each with its best passage and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import TextKind
from erstwhile.core.public_record import PublicRecord, public_record, tuple_to_dict
from erstwhile.core.results import Hits, Trace
from erstwhile.recall.relevance import STRONG
from erstwhile.secrets.masking import masked_repr

if TYPE_CHECKING:
    from erstwhile.conversations.conversation import Conversation, Message
    from erstwhile.facts.fact import Fact
    from erstwhile.records.model import Lesson, Observation

Recalled: TypeAlias = "Fact | Message | Observation | Lesson | Conversation"
"""A record that recall finds. A conversation is found by its summary."""


class Channel(StrEnum):
    """How a record was found: by its match, or, on request, by its links or its age."""

    MATCH = "match"
    GRAPH = "graph"
    RECENT = "recent"


@public_record
class Why(PublicRecord):
    """Why a record was recalled."""

    channel: Channel
    terms: Mapping[str, float] = field(hash=False)
    """The query terms in the record or its neighbours, with their share of the score."""
    words: float
    """The share of the query's words in the record, by their weight."""
    cosine: float | None
    """The cosine of the best passage, mixed with that of neighbours, to the query."""
    meaning: float | None
    """How far the cosine lies above that of unrelated texts, in deviations of the default model."""
    weight: float
    """The weight of its role, length and form, and of whom it is about; at most 1."""
    score: float
    """The evidence by which the hits of this query are ranked, weight and factors included."""
    factors: Mapping[str, float] = field(hash=False)
    """Small shifts for kind, age, confidence and so on; together at most 15 %."""
    supersedes: tuple[str, ...] = ()
    """The ids of the facts that it replaced."""
    reranked: float | None = None
    """The relevance according to the reranker; None if it did not read this record."""

    def __str__(self) -> str:
        parts = []
        if self.terms:
            parts.append("words " + ", ".join(sorted(self.terms, key=lambda t: -self.terms[t])))
        if self.cosine is not None:
            parts.append(f"meaning {self.cosine:.2f}")
        parts += [f"{name} {shift:+.2f}" for name, shift in self.factors.items() if shift]
        if self.reranked is not None:
            parts.append(f"reranked {self.reranked:.2f}")
        if self.channel is not Channel.MATCH:
            parts.append(f"filled up by {self.channel}")
        return "; ".join(parts)


@masked_repr
class Passage(NamedTuple):
    """The part of a record that matches best, by its place in the text of the record."""

    start: int
    end: int
    text: str

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:
        """Return its fields in the types of JSON."""
        return tuple_to_dict(self, at)


@public_record
class Hit(PublicRecord):
    """A recalled record, with its best passage and its relevance."""

    _shown = ("relevance", "kind", "record.short_id", "record.key", "passage.text")
    kind: TextKind
    record: Recalled
    passage: Passage
    relevance: float
    """How likely the match is no accident, from 0 to 1; comparable between queries."""
    why: Why

    @property
    def is_weak(self) -> bool:
        """Whether the match is more likely an accident than an answer."""
        return self.relevance < STRONG

    @property
    def fact(self) -> Fact:
        """The record, which must be a fact."""
        return cast("Fact", self._record_of(TextKind.FACTS))

    @property
    def message(self) -> Message:
        """The record, which must be a message."""
        return cast("Message", self._record_of(TextKind.MESSAGES))

    def _record_of(self, kind: TextKind) -> Recalled:
        if self.kind is not kind:
            raise InvalidInputError(
                f"this hit is one of the {self.kind}", remedy="use `hit.record` and `hit.kind`"
            )
        return self.record


@public_record
class Considered(PublicRecord):
    """A record that was compared with the query, and the result."""

    _shown = ("relevance", "status", "kind", "record.short_id", "record.searched")
    kind: TextKind
    record: Recalled
    relevance: float
    score: float
    """The evidence for the record, before the factors."""
    status: str
    """`returned`, `outranked` or `below_floor`."""


@masked_repr
@dataclass(frozen=True, slots=True, repr=False)
class RecallHits(Hits[Hit]):
    """The answer of `recall`, which always has a trace."""

    trace: Trace
    considered: tuple[Considered, ...] = ()
    """With `explain=True`: every record that was compared, best first, returned ones included."""


@public_record
class WhyNot(PublicRecord):
    """Why a record is, or is not, among the hits of a query."""

    reason: str
    """One of: returned, not_found, deleted, retired, expired, upcoming, quarantined, filtered,
    no_match, below_floor, outranked."""
    detail: str
    rank: int | None = None
    hit: Hit | None = None
