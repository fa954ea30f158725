"""Drafts: checked facts that are not stored yet. Every `Draft` can be stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Kind, Origin, Tier, Trust, choice
from erstwhile.core.metadata import checked_metadata
from erstwhile.core.scope import Scope, Viewer
from erstwhile.core.text import checked_id, checked_label, checked_text, fingerprint, folded
from erstwhile.core.time import Moment, parse_expiry, parse_moment
from erstwhile.facts.details import DETAILS
from erstwhile.facts.fact import Fact, Relation, Source
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.standing import as_agent

MAX_TEXT = 100_000
MAX_TAGS = 50
MAX_ENTITIES = 50
MAX_RELATIONS = 50
MAX_MESSAGES = 50

_FIELDS = frozenset({"text", *DETAILS})
_Item = TypeVar("_Item")


@masked_repr
class Draft(NamedTuple):
    """A checked statement, ready for `remember_many`. Make one with `erstwhile.draft`."""

    text: str
    fingerprint: bytes
    kind: Kind
    key: str | None
    value: str | None
    entities: tuple[str, ...]
    relations: tuple[Relation, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    confidence: float
    tier: Tier
    origin: Origin
    trust: Trust
    source: Source | None
    valid_from: datetime | None
    expires_at: datetime | None
    pinned: bool

    @property
    def trusted(self) -> bool:
        return self.trust is Trust.TRUSTED

    def to_fact(self, scope: Scope, at: datetime, supersedes: tuple[str, ...] = ()) -> Fact:
        """Return the fact as recorded at `at`; by default it is true from then on."""
        since = self.valid_from or at
        if self.expires_at is not None:
            _check_order(since, self.expires_at)
        return Fact(
            id=new_id(at),
            scope=scope,
            kind=self.kind,
            text=self.text,
            key=self.key,
            value=self.value,
            entities=self.entities,
            relations=self.relations,
            tags=self.tags,
            metadata=self.metadata,
            confidence=self.confidence,
            tier=self.tier,
            evidence=1,
            origin=self.origin,
            trust=self.trust,
            source=self.source,
            valid_from=since,
            valid_to=None,
            recorded_at=at,
            known_from=at,
            retired_at=None,
            ending=None,
            supersedes=supersedes,
            superseded_by=None,
            expires_at=self.expires_at,
            pinned=self.pinned,
            deleted_at=None,
        )


def draft(
    text: str,
    *,
    kind: Kind | str = Kind.FACT,
    key: str | None = None,
    value: str | None = None,
    entities: Sequence[str] = (),
    relations: Sequence[tuple[str, str, str]] = (),
    tags: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    confidence: float | None = None,
    tier: Tier | str | None = None,
    valid_from: Moment | None = None,
    expires_at: Moment | timedelta | None = None,
    origin: Origin | str = Origin.PERSON,
    trust: Trust | str | None = None,
    source: Source | Mapping[str, Any] | str | None = None,
    pinned: bool = False,
    now: datetime | None = None,
) -> Draft:
    """Check the text and details of a new fact; words such as "in 3 days" count from now."""
    now = now or datetime.now(UTC)
    of_kind, said_by = choice(Kind, kind, name="kind"), choice(Origin, origin, name="origin")
    held = _trust(trust, said_by)
    believed, links = _tier(tier, said_by, held), _relations(relations)
    since = _since(valid_from, now)
    said, known_by = checked_text(text, name="text", limit=MAX_TEXT), _key(key)
    return Draft(
        text=said,
        fingerprint=fingerprint(said, known_by),
        kind=of_kind,
        key=known_by,
        value=_value(value, known_by),
        entities=_entities(links, entities),
        relations=links,
        tags=_labels(tags, "tags", MAX_TAGS),
        metadata=checked_metadata(metadata),
        confidence=_confidence(confidence, believed),
        tier=believed,
        origin=said_by,
        trust=held,
        source=_source(source),
        valid_from=since,
        expires_at=_expiry(expires_at, since or now, now),
        pinned=bool(pinned),
    )


def to_draft(item: str | Mapping[str, Any] | Draft, viewer: Viewer, *, now: datetime) -> Draft:
    """Make a draft from an item of `remember_many`: a text, a mapping or a draft."""
    if isinstance(item, Draft):
        return item
    item = {"text": item} if isinstance(item, str) else item
    if not isinstance(item, (dict, Mapping)) or "text" not in item:
        raise InvalidInputError(
            f"not a fact: {item!r}", remedy="give a text, or a mapping with at least a text"
        )
    if unknown := item.keys() - _FIELDS:
        raise InvalidInputError(
            f"a fact has no {', '.join(sorted(map(str, unknown)))}",
            remedy="use " + ", ".join(DETAILS),
        )
    return draft(**as_agent(viewer, item), now=now)


def checked_key(key: str) -> str:
    """Return a key in its stored form, which ignores case, spacing and Unicode form."""
    return folded(checked_label(key, name="key"))


def _key(key: str | None) -> str | None:
    return None if key is None else checked_key(key)


def _value(value: str | None, key: str | None) -> str | None:
    if value is None:
        return None
    if key is None:
        raise InvalidInputError("a value needs a key", remedy="pass key, or leave value out")
    return checked_label(value, name="value")


def _since(valid_from: Moment | None, now: datetime) -> datetime | None:
    return None if valid_from is None else parse_moment(valid_from, now=now, name="valid_from")


def _entities(relations: tuple[Relation, ...], entities: Sequence[str]) -> tuple[str, ...]:
    """Return the entities: the named ones and both ends of each relation."""
    named = _labels(entities, "entities", MAX_ENTITIES)
    if not relations:
        return named
    ends = [end for relation in relations for end in (relation.subject, relation.object)]
    return _distinct((*named, *ends))


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, as first written."""
    seen: dict[str, str] = {}
    for name in names:
        seen.setdefault(folded(name), name)
    return tuple(seen.values())


def limited(items: Sequence[_Item], name: str, limit: int) -> Sequence[_Item]:
    listed = isinstance(items, (list, tuple))  # the common case comes first, for speed
    if not listed and (isinstance(items, str | bytes | Mapping) or not isinstance(items, Sequence)):
        raise InvalidInputError(f"{name} must be a list", remedy=f"write {name}=[…]")
    if len(items) > limit:
        raise TooLargeError(f"{len(items)} {name} given, {limit} are allowed", remedy="use fewer")
    return items


def _labels(items: Sequence[str], name: str, limit: int) -> tuple[str, ...]:
    if not items and isinstance(items, tuple):
        return ()
    each = f"each of {name}"
    return _distinct([checked_label(item, name=each) for item in limited(items, name, limit)])


def _relations(items: Sequence[tuple[str, str, str]]) -> tuple[Relation, ...]:
    if not items and isinstance(items, tuple):
        return ()
    triples = [_relation(item) for item in limited(items, "relations", MAX_RELATIONS)]
    return tuple(dict.fromkeys(triples))


def _relation(item: tuple[str, str, str]) -> Relation:
    if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 3:
        raise InvalidInputError(
            f"not a relation: {item!r}", remedy="write (subject, predicate, object)"
        )
    subject, predicate, target = (checked_label(part, name="each part") for part in item)
    return Relation(subject, folded(predicate), target)


def _trust(trust: Trust | str | None, origin: Origin) -> Trust:
    """Return the trust of a fact; a fact from outside cannot be declared trusted."""
    if trust is None:
        return origin.trust
    checked = choice(Trust, trust, name="trust")
    if checked is Trust.TRUSTED and origin.trust is not Trust.TRUSTED:
        raise InvalidInputError(
            f"a fact from {origin} cannot be trusted at once",
            remedy="leave trust out, and confirm the fact later",
        )
    return checked


def _tier(tier: Tier | str | None, origin: Origin, trust: Trust) -> Tier:
    if tier is None:
        return origin.tier if trust is Trust.TRUSTED else Tier.INFERRED
    checked = choice(Tier, tier, name="tier")
    if trust is Trust.QUARANTINED and checked is not Tier.INFERRED:
        raise InvalidInputError(
            f"a fact from {origin} in quarantine cannot have the tier {checked}",
            remedy="use the tier inferred, and confirm the fact later",
        )
    return checked


def _confidence(confidence: float | None, tier: Tier) -> float:
    if confidence is None:
        return tier.cap
    number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not number or not isfinite(confidence) or not 0 <= confidence <= 1:
        raise InvalidInputError(f"confidence must lie between 0 and 1, not {confidence!r}")
    return min(float(confidence), tier.cap)


def _source(source: Source | Mapping[str, Any] | str | None) -> Source | None:
    if source is None:
        return None
    if isinstance(source, str):
        source = {"conversation": source}
    if isinstance(source, Source):
        source = {"conversation": source.conversation, "messages": source.messages}
    if not isinstance(source, Mapping) or not set(source) <= {"conversation", "messages"}:
        raise InvalidInputError(
            f"not a source: {source!r}", remedy="give a conversation id and a list of message ids"
        )
    conversation = source.get("conversation")
    return Source(
        conversation=None if conversation is None else checked_id(conversation, name="source"),
        messages=_labels(source.get("messages", ()), "messages", MAX_MESSAGES),
    )


def _expiry(
    expires_at: Moment | timedelta | None, since: datetime, now: datetime
) -> datetime | None:
    if expires_at is None:
        return None
    until = parse_expiry(expires_at, now=now)
    _check_order(since, until)
    return until


def _check_order(since: datetime, until: datetime) -> None:
    if until <= since:
        raise InvalidInputError(
            f"it would expire at {until.isoformat()}, before it is true",
            remedy="pass a later expires_at",
        )
