"""Drafts: checked facts before they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, NamedTuple, TypedDict, TypeVar

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Kind, Origin, Tier, Trust, choice
from erstwhile.core.scope import Scope, Viewer
from erstwhile.core.text import (
    checked_id,
    checked_label,
    checked_metadata,
    checked_name,
    checked_text,
    fingerprint,
    folded,
)
from erstwhile.core.time import Moment, parse_expiry, parse_moment
from erstwhile.facts.fact import MAX_TEXT, Fact, Relation, Source
from erstwhile.secrets.masking import masked_repr


class ValueDetails(TypedDict, total=False):
    """The details of a new value of a key."""

    kind: Kind | str
    """The kind of the fact; a `state` is temporary, and ages fast."""
    entities: Sequence[str]
    """People and things that it is about."""
    relations: Sequence[tuple[str, str, str]]
    """Typed links that it states: (subject, predicate, object)."""
    tags: Sequence[str]
    """Labels for filtering."""
    metadata: Mapping[str, Any] | None
    """Anything else, as JSON."""
    confidence: float | None
    """Between 0 and 1; the tier caps it."""
    tier: Tier | str | None
    """The tier of belief, such as `inferred` or `confirmed`; the default depends on the origin."""
    valid_from: Moment | None
    """The time from which it is true; by default the time of recording."""
    expires_at: Moment | timedelta | None
    """The time when it stops being true: a time, or a duration such as "in 3 days"."""
    origin: Origin | str
    """The source of the statement; facts from a tool, the web or a document are quarantined."""
    trust: Trust | str | None
    """`quarantined` holds the fact back from any origin; the default depends on the origin."""
    source: Source | Mapping[str, Any] | str | None
    """The conversation and the messages that it comes from."""
    pinned: bool
    """Whether every prompt includes it."""


class Details(ValueDetails, total=False):
    """The details of a new fact besides its text."""

    key: str | None
    """A key whose only live value in the scope is this fact."""
    value: str | None
    """The bare value of the key, if the text is a sentence about it; by default the text."""


DETAILS = tuple({**ValueDetails.__annotations__, **Details.__annotations__})


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

    @classmethod
    def of(cls, fact: Fact, *, key: str | None, value: str | None) -> Draft:
        """Return a stored fact as a draft, with another key and value."""
        same = {
            name: getattr(fact, name) for name in cls._fields if name in Fact.__dataclass_fields__
        }
        changed = {"key": key, "value": value, "fingerprint": fingerprint(fact.text, key)}
        return cls(**{**same, **changed})

    def to_fact(self, scope: Scope, at: datetime, supersedes: tuple[str, ...] = ()) -> Fact:
        """Return the fact as recorded at `at`; by default it is true from then on."""
        since = self.valid_from or at
        if self.expires_at is not None:
            _check_order(since, self.expires_at)
        content = self._asdict()
        del content["fingerprint"]
        return Fact(
            **{**content, "valid_from": since},
            id=new_id(at),
            scope=scope,
            recorded_at=at,
            known_from=at,
            supersedes=supersedes,
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
    stated_by = choice(Origin, origin, name="origin")
    trust, tier = _checked_belief(trust, tier, stated_by)
    text = checked_text(text, name="text", limit=MAX_TEXT)
    key = None if key is None else checked_key(key)
    links = _checked_relations(relations) if relations != () else ()
    ends = [end for link in links for end in (link.subject, link.object)]
    if valid_from is not None:
        valid_from = parse_moment(valid_from, now=now, name="valid_from")
    if value is not None and key is None:
        raise InvalidInputError("a value needs a key", remedy="pass key, or leave value out")
    new = Draft(
        text=text,
        fingerprint=fingerprint(text, key),
        kind=choice(Kind, kind, name="kind"),
        key=key,
        value=None if value is None else checked_label(value, name="value"),
        entities=_checked_labels(entities, "entities", MAX_ENTITIES, ends, check=checked_name),
        relations=links,
        tags=_checked_labels(tags, "tags", MAX_TAGS),
        metadata=checked_metadata(metadata),
        confidence=tier.cap if confidence is None else _checked_confidence(confidence, tier),
        tier=tier,
        origin=stated_by,
        trust=trust,
        source=None if source is None else _checked_source(source),
        valid_from=valid_from,
        expires_at=None if expires_at is None else parse_expiry(expires_at, now=now),
        pinned=bool(pinned),
    )
    if new.expires_at is not None:
        _check_order(new.valid_from or now, new.expires_at)
    return new


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


def as_agent(viewer: Viewer, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details of a new fact, with the origin `agent` as an agent's default."""
    return {**details} if viewer.person else {"origin": Origin.AGENT, **details}


def checked_key(key: str) -> str:
    """Return a key in its stored form, which ignores case, spacing and Unicode form."""
    return folded(checked_label(key, name="key"))


def limited(items: Sequence[_Item], name: str, limit: int) -> Sequence[_Item]:
    usual = isinstance(items, (list, tuple))  # the common case comes first, for speed
    if not usual and (isinstance(items, str | bytes | Mapping) or not isinstance(items, Sequence)):
        raise InvalidInputError(f"{name} must be a list", remedy=f"write {name}=[…]")
    if len(items) > limit:
        raise TooLargeError(f"{len(items)} {name} given, {limit} are allowed", remedy="use fewer")
    return items


def _checked_labels(
    items: Sequence[str],
    name: str,
    limit: int,
    more: Sequence[str] = (),
    *,
    check: Callable[..., str] = checked_label,
) -> tuple[str, ...]:
    """Return each label once, as first written; `more` are checked labels."""
    if not (items or more) and isinstance(items, tuple):
        return ()
    distinct: dict[str, str] = {}
    for item in limited(items, name, limit):
        label = check(item, name=f"each of {name}")
        distinct.setdefault(folded(label), label)
    for label in more:
        distinct.setdefault(folded(label), label)
    return tuple(distinct.values())


def _checked_relations(items: Sequence[tuple[str, str, str]]) -> tuple[Relation, ...]:
    checked: dict[Relation, None] = {}
    for item in limited(items, "relations", MAX_RELATIONS):
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 3:
            raise InvalidInputError(
                f"not a relation: {item!r}", remedy="write (subject, predicate, object)"
            )
        subject, predicate, target = (checked_name(part, name="each part") for part in item)
        checked[Relation(subject, folded(predicate), target)] = None
    return tuple(checked)


def _checked_belief(
    trust: Trust | str | None, tier: Tier | str | None, origin: Origin
) -> tuple[Trust, Tier]:
    """Return the trust and the tier of a fact; a fact from outside cannot be declared trusted."""
    trusted = origin.trust if trust is None else choice(Trust, trust, name="trust")
    if trusted is Trust.TRUSTED and origin.trust is not Trust.TRUSTED:
        raise InvalidInputError(
            f"a fact from {origin} cannot be trusted at once",
            remedy="leave trust out, and confirm the fact later",
        )
    if tier is None:
        return trusted, origin.tier if trusted is Trust.TRUSTED else Tier.INFERRED
    checked = choice(Tier, tier, name="tier")
    if trusted is Trust.QUARANTINED and checked is not Tier.INFERRED:
        raise InvalidInputError(
            f"a fact from {origin} in quarantine cannot have the tier {checked}",
            remedy="use the tier inferred, and confirm the fact later",
        )
    return trusted, checked


def _checked_confidence(confidence: float, tier: Tier) -> float:
    number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not number or not isfinite(confidence) or not 0 <= confidence <= 1:
        raise InvalidInputError(f"confidence must lie between 0 and 1, not {confidence!r}")
    return min(float(confidence), tier.cap)


def _checked_source(source: Source | Mapping[str, Any] | str) -> Source:
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
        messages=_checked_labels(source.get("messages", ()), "messages", MAX_MESSAGES),
    )


def _check_order(since: datetime, until: datetime) -> None:
    if until <= since:
        raise InvalidInputError(
            f"it would expire at {until.isoformat()}, before it is true",
            remedy="pass a later expires_at",
        )
