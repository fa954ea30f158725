"""What a caller may say of a fact besides its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from erstwhile.core.kinds import Kind, Origin, Tier, Trust
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Source


class ValueDetails(TypedDict, total=False):
    """What a caller may say of a new value besides the value."""

    kind: Kind | str
    """What it is about; a `state` must expire."""
    entities: Sequence[str]
    """Whom and what it is about."""
    relations: Sequence[tuple[str, str, str]]
    """Typed links that it states: (subject, predicate, object)."""
    tags: Sequence[str]
    """Labels to find it by."""
    metadata: Mapping[str, Any] | None
    """Anything else, as JSON."""
    confidence: float | None
    """Between 0 and 1; the tier caps it."""
    tier: Tier | str | None
    """How it came to be believed; by default what fits its origin."""
    valid_from: Moment | None
    """Since when it is true; by default since it is recorded."""
    expires_at: Moment | timedelta | None
    """When it stops being true: a time, or a duration such as "in 3 days"."""
    origin: Origin | str
    """Who said it; what comes from a tool, the web or a document is quarantined."""
    trust: Trust | str | None
    """Quarantined, to hold back what its origin would let in; by default what the origin gives."""
    source: Source | Mapping[str, Any] | str | None
    """The conversation, and the messages in it, where it was said."""
    pinned: bool
    """Whether it always matters."""


class Details(ValueDetails, total=False):
    """What a caller may say of a new fact besides its text."""

    key: str | None
    """Makes the text the one live value of this key in the scope."""


DETAILS = tuple({**ValueDetails.__annotations__, **Details.__annotations__})
