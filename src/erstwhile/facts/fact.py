"""A fact: one declarative statement, with its origin, valid time and recorded time."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import field, replace
from datetime import datetime
from itertools import starmap
from operator import itemgetter
from typing import Any, NamedTuple

from erstwhile.core.ids import short_id
from erstwhile.core.kinds import Ending, Kind, Origin, State, Tier, Trust
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope, to_scope
from erstwhile.core.time import ENDLESS, FOREVER, from_micros, to_micros
from erstwhile.secrets.masking import masked_repr, public_record
from erstwhile.storage import columns

MAX_TEXT = 100_000


@masked_repr
class Relation(NamedTuple):
    """A typed link between two entities. It belongs to a fact and ends with the fact."""

    subject: str
    predicate: str
    object: str


@public_record
class Source:
    """The conversation and the messages that a fact comes from."""

    conversation: str | None = None
    messages: tuple[str, ...] = ()


@public_record
class Fact:
    """A stored fact in one of its states; `known_from` is the time when that state was recorded."""

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
    evidence: int
    origin: Origin
    trust: Trust
    source: Source | None
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    known_from: datetime
    retired_at: datetime | None
    ending: Ending | None
    supersedes: tuple[str, ...]
    superseded_by: str | None
    expires_at: datetime | None
    pinned: bool
    deleted_at: datetime | None

    @property
    def short_id(self) -> str:
        return short_id(self.id)

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

    def state(self, at: datetime) -> State:
        """Return the state of the fact at a moment."""
        end = self.ends_at or FOREVER
        if self.deleted_at:
            return State.DELETED
        if end <= at or end <= self.valid_from:
            return State.RETIRED
        if self.valid_from > at:
            return State.UPCOMING
        return State.LIVE if self.trust is Trust.TRUSTED else State.QUARANTINED


@public_record
class FactChange:
    """A change of a fact: the audit entry, and the fact after the change."""

    at: datetime
    action: str
    actor: str
    reason: str | None
    fact: Fact


def value_line(fact: Fact) -> str:
    """Return "key: value"; only the text if it is a sentence from a conversation."""
    from_conversation = fact.origin is Origin.LEARNED and fact.source is not None
    if fact.key is None or (from_conversation and fact.value is None):
        return fact.text
    return f"{fact.key}: {fact.value or fact.text}"


state_of = itemgetter(
    "kind", "text", "key", "value", "origin", "source", "recorded_at",
    "trust", "confidence", "tier", "evidence", "valid_from", "valid_to", "expires_at",
    "retired_at", "ending", "supersedes", "superseded_by", "pinned", "entities",
    "relations", "tags", "metadata", "deleted_at",
)  # fmt: skip
"""The columns in the digest of an audit entry, in the order of the statement `stored_states`."""


# A look-up is five times as fast as calling the enum.
_KINDS = {each.value: each for each in Kind}
_TIERS = {each.value: each for each in Tier}
_ORIGINS = {each.value: each for each in Origin}
_TRUSTS = {each.value: each for each in Trust}


def to_row(fact: Fact, scope: int) -> dict[str, Any]:
    """Return a fact as parameters of the statements `add_fact` and `change_fact`."""
    recorded_at = to_micros(fact.recorded_at)
    # Most facts have one timestamp: convert it once.
    new = fact.valid_from is fact.known_from is fact.recorded_at
    return {
        "id": fact.id,
        "scope": scope,
        "kind": fact.kind,
        "text": fact.text,
        "key": fact.key,
        "value": fact.value,
        "origin": fact.origin,
        "source": None if fact.source is None else _source_text(fact.source),
        "recorded_at": recorded_at,
        "known_from": recorded_at if new else to_micros(fact.known_from),
        "trust": fact.trust,
        "confidence": fact.confidence,
        "tier": fact.tier,
        "evidence": fact.evidence,
        "valid_from": recorded_at if new else to_micros(fact.valid_from),
        "valid_to": ENDLESS if fact.valid_to is None else to_micros(fact.valid_to),
        "expires_at": ENDLESS if fact.expires_at is None else to_micros(fact.expires_at),
        "retired_at": None if fact.retired_at is None else to_micros(fact.retired_at),
        "ending": fact.ending,
        "supersedes": _list_text(fact.supersedes),
        "superseded_by": fact.superseded_by,
        "pinned": int(fact.pinned),
        "entities": _list_text(fact.entities),
        "relations": _list_text(fact.relations),
        "tags": _list_text(fact.tags),
        "metadata": columns.encode(dict(fact.metadata)) if fact.metadata else "{}",
        "deleted_at": None if fact.deleted_at is None else to_micros(fact.deleted_at),
    }


@columns.decodes("fact")
def to_fact(row: Row) -> Fact:
    """Make a fact from a row of the fragment `columns`."""
    recorded_at = from_micros(row[21])
    return Fact(
        id=row[0],
        scope=to_scope(*row[1:5]),
        kind=_KINDS[row[5]],
        text=row[6],
        key=row[7],
        value=row[8],
        entities=_names(row[9]),
        relations=() if row[10] == "[]" else tuple(starmap(Relation, json.loads(row[10]))),
        tags=_names(row[11]),
        metadata=columns.metadata(row[12]),
        confidence=row[13],
        tier=_TIERS[row[14]],
        evidence=row[15],
        origin=_ORIGINS[row[16]],
        trust=_TRUSTS[row[17]],
        source=_source(row[18]),
        valid_from=recorded_at if row[19] == row[21] else from_micros(row[19]),
        valid_to=None if row[20] == ENDLESS else from_micros(row[20]),
        recorded_at=recorded_at,
        known_from=recorded_at if row[22] == row[21] else from_micros(row[22]),
        retired_at=columns.moment(row[23]),
        ending=None if row[24] is None else Ending(row[24]),
        supersedes=_names(row[25]),
        superseded_by=row[26],
        expires_at=None if row[27] == ENDLESS else from_micros(row[27]),
        pinned=bool(row[28]),
        deleted_at=columns.moment(row[29]),
    )


def _list_text(items: Collection[Any]) -> str:
    return columns.encode(items) if items else "[]"


def _names(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _source_text(source: Source) -> str:
    return columns.encode({"conversation": source.conversation, "messages": source.messages})


def _source(text: str | None) -> Source | None:
    if text is None:
        return None
    stored = json.loads(text)
    return Source(conversation=stored["conversation"], messages=tuple(stored["messages"]))
