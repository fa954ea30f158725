"""The keyword arguments that describe a new fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from erstwhile.core.kinds import Kind, Origin, Tier, Trust
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Source


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
