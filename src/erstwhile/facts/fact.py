"""A fact: one declarative statement, with its origin, valid time and recorded time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime
from itertools import starmap
from operator import itemgetter
from typing import Any, NamedTuple

from erstwhile.core.kinds import Ending, Kind, Origin, State, Tier, Trust
from erstwhile.core.public_record import PublicRecord, public_record, tuple_to_dict
from erstwhile.core.scope import Scope
from erstwhile.core.time import ENDLESS, FOREVER, from_micros, to_micros
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage import columns
from erstwhile.storage.record import IdRecord

MAX_TEXT = 100_000
ITEM = "item:"
"""The beginning of a key under which another program keeps an item: it is no value of a profile."""
_BESIDE = ("similar", "conflicts")
"""Fields that are not stored, and left out of JSON if they are empty."""


@masked_repr
class Relation(NamedTuple):
    """A typed link between two entities. It belongs to a fact and ends with the fact."""

    subject: str
    predicate: str
    object: str

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:
        """Return its fields in the types of JSON."""
        return tuple_to_dict(self, at)


@public_record
class Source(PublicRecord):
    """The conversation and the messages that a fact comes from."""

    conversation: str | None = None
    messages: tuple[str, ...] = ()


@public_record
class Fact(IdRecord):
    """A stored fact in one of its states; `known_from` is the time when that state was recorded."""

    _shown = ("short_id", "state", "kind", "key", "text")
    id: str
    scope: Scope
    kind: Kind
    text: str
    key: str | None
    value: str | None
    """The bare value of the key ("Mel"), if the text is a sentence about it."""
    entities: tuple[str, ...]
    relations: tuple[Relation, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any] = field(hash=False)
    confidence: float
    tier: Tier
    evidence: int = 1
    origin: Origin
    trust: Trust
    source: Source | None
    valid_from: datetime
    valid_to: datetime | None = None
    recorded_at: datetime
    known_from: datetime
    retired_at: datetime | None = None
    ending: Ending | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    expires_at: datetime | None
    pinned: bool
    deleted_at: datetime | None = None
    similar: tuple[Fact, ...] = field(default=(), compare=False)
    """Live facts with much the same words. Only the result of `remember` has them."""
    conflicts: tuple[Fact, ...] = field(default=(), compare=False)
    """Live facts that it seems to contradict. Only the result of `remember` has them."""

    @property
    def ends_at(self) -> datetime | None:
        """The end of its valid time: the earlier of `valid_to` and `expires_at`."""
        end = min(self.valid_to or FOREVER, self.expires_at or FOREVER)
        return None if end == FOREVER else end

    def seen_at(self, at: datetime) -> Fact:
        """Return the fact as it is seen at a moment: with its ending, if its time ran out."""
        if self.ending is not None or self.ends_at is None or self.ends_at > at:
            return self
        return replace(self, ending=Ending.EXPIRED)

    @property
    def searched(self) -> str:
        """The text in the search index, without key and labels."""
        return self.text

    @property
    def timestamp(self) -> datetime:
        """When it was recorded."""
        return self.recorded_at

    @property
    def state(self) -> State:
        """Its state now. If our clock is behind the fact, its own time counts."""
        return self.state_at()

    def state_at(self, at: datetime | None = None) -> State:
        """Return the state of the fact at another time; by default now."""
        at = at or max(datetime.now(UTC), self.known_from)
        end = self.ends_at or FOREVER
        if self.deleted_at:
            return State.DELETED
        if end <= at or end <= self.valid_from:
            return State.RETIRED
        if self.valid_from > at:
            return State.UPCOMING
        return State.LIVE if self.trust is Trust.TRUSTED else State.QUARANTINED

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:
        """Return the fact in the types of JSON, with its ids and its state first."""
        state = self.state_at(at).value
        first = {"id": self.id, "short_id": self.short_id, "state": state}
        fields = first | PublicRecord.to_dict(self, at) | first
        return {name: each for name, each in fields.items() if each or name not in _BESIDE}


@public_record
class FactChange(PublicRecord):
    """A change of a fact: the audit entry, and the fact after the change."""

    _shown = ("at", "action", "actor", "fact.key", "fact.text")
    at: datetime
    action: str
    actor: str
    reason: str | None
    fact: Fact

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:  # noqa: ARG002
        """Return the change in the types of JSON; the fact has the state of the change's time."""
        return PublicRecord.to_dict(self, self.at)


def is_item(fact: Fact) -> bool:
    """Return whether another program keeps a fact under a key of its own."""
    return fact.key is not None and fact.key.startswith(ITEM)


def value_line(fact: Fact) -> str:
    """Return "key: value"; only the text if it is a sentence from a conversation, or an item."""
    from_conversation = fact.origin is Origin.LEARNED and fact.source is not None
    if fact.key is None or is_item(fact) or (from_conversation and fact.value is None):
        return fact.text
    return f"{fact.key}: {fact.value or fact.text}"


state_of = itemgetter(
    "kind", "text", "key", "value", "origin", "source", "recorded_at",
    "trust", "confidence", "tier", "evidence", "valid_from", "valid_to", "expires_at",
    "retired_at", "ending", "supersedes", "superseded_by", "pinned", "entities",
    "relations", "tags", "metadata", "deleted_at",
)  # fmt: skip
"""The columns in the digest of an audit entry, in the order of the statement `stored_states`."""


def _relations(text: str) -> tuple[Relation, ...]:
    return tuple(starmap(Relation, json.loads(text)))


def _source_text(source: Source) -> str:
    return columns.encode({"conversation": source.conversation, "messages": source.messages})


def _source(text: str) -> Source:
    stored = json.loads(text)
    return Source(conversation=stored["conversation"], messages=tuple(stored["messages"]))


_END = columns.Codec(to_micros, from_micros, (None, ENDLESS))
FACT_ROW = columns.RowType(
    Fact,
    "fact",
    without=_BESIDE,
    codecs={
        "relations": columns.Codec(columns.encode, _relations, ((), "[]")),
        "source": columns.Codec(_source_text, _source),
        "valid_to": _END,
        "expires_at": _END,
    },
)
"""The fragment `columns`."""
to_fact = FACT_ROW.decode
