"""The profile: what is kept under keys, as a text for a prompt, always in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from erstwhile.core.kinds import Origin
from erstwhile.facts.fact import Fact

_IDENTITY = ("name", "preferred name", "preferred_name", "pronouns", "language", "birthday")
_CONTEXT = (
    "timezone", "time zone", "time_zone", "location", "city", "country",
    "role", "occupation", "company", "team",
)  # fmt: skip
_FIRST = {key: place for place, key in enumerate((*_IDENTITY, *_CONTEXT))}


def in_order(values: Iterable[Fact]) -> list[Fact]:
    """Who somebody is, then where they stand, then the rest by key."""
    return sorted(values, key=lambda fact: (_FIRST.get(fact.key or "", len(_FIRST)), fact.key))


def profile_text(values: Sequence[Fact]) -> str:
    """One line for each key. The same values give the same text, so that prompts can be cached."""
    return "\n".join(" ".join(told(fact).split()) for fact in values)


def told(fact: Fact) -> str:
    """A value with its key. What was taken from a conversation says itself what it is about."""
    taken = fact.origin is Origin.LEARNED and fact.source is not None
    return fact.text if fact.key is None or taken else f"{fact.key}: {fact.text}"
