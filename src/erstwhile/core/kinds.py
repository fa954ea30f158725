"""The enumerations of a fact: kind, tier, trust, origin, ending and state."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from erstwhile.core.errors import InvalidInputError


class Kind(StrEnum):
    """The subject of a fact."""

    PROFILE = "profile"
    PREFERENCE = "preference"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    FACT = "fact"
    STATE = "state"
    DECISION = "decision"
    RELATION = "relation"
    EVENT = "event"
    INSTRUCTION = "instruction"

    @property
    def weight(self) -> float:
        """The usual importance of facts of this kind, from 0 to 1. It decides only near ties."""
        return _WEIGHTS[self]

    @property
    def half_life(self) -> float:
        """The days after which a fact of this kind is half as fresh."""
        return _HALF_LIVES[self]


_WEIGHTS = {
    Kind.PROFILE: 1.0, Kind.PREFERENCE: 0.9, Kind.DECISION: 0.7, Kind.PROJECT: 0.6,
    Kind.ENVIRONMENT: 0.6, Kind.FACT: 0.5, Kind.RELATION: 0.5, Kind.STATE: 0.5, Kind.EVENT: 0.4,
    Kind.INSTRUCTION: 0.9,
}  # fmt: skip
_HALF_LIVES = {
    Kind.PROFILE: 3650.0, Kind.PREFERENCE: 730.0, Kind.DECISION: 1095.0, Kind.PROJECT: 365.0,
    Kind.ENVIRONMENT: 180.0, Kind.FACT: 1825.0, Kind.RELATION: 1460.0, Kind.STATE: 7.0,
    Kind.EVENT: 365.0, Kind.INSTRUCTION: 3650.0,
}  # fmt: skip


class Tier(StrEnum):
    """The evidence for a fact; each tier caps its confidence."""

    INFERRED = "inferred"
    CONFIRMED = "confirmed"
    STATED = "stated"

    @property
    def cap(self) -> float:
        return _CAPS[self]


_CAPS = {Tier.INFERRED: 0.7, Tier.CONFIRMED: 0.9, Tier.STATED: 1.0}


class Trust(StrEnum):
    """Whether a fact is used in answers, or waits in quarantine."""

    TRUSTED = "trusted"
    QUARANTINED = "quarantined"


class Origin(StrEnum):
    """The source of a fact."""

    PERSON = "person"
    AGENT = "agent"
    LEARNED = "learned"
    IMPORTED = "imported"
    TOOL = "tool"
    WEB = "web"
    DOCUMENT = "document"

    @property
    def trust(self) -> Trust:
        return Trust.QUARANTINED if self in _OUTSIDE else Trust.TRUSTED

    @property
    def tier(self) -> Tier:
        return Tier.STATED if self in _BY_HAND else Tier.INFERRED


_OUTSIDE = frozenset({Origin.TOOL, Origin.WEB, Origin.DOCUMENT})
_BY_HAND = frozenset({Origin.PERSON, Origin.IMPORTED})


class Ending(StrEnum):
    """The reason why a fact is no longer live."""

    SUPERSEDED = "superseded"
    WRONG = "wrong"
    EXPIRED = "expired"


class State(StrEnum):
    """The state of a fact at a moment. `any` as a filter means all but the deleted."""

    LIVE = "live"
    QUARANTINED = "quarantined"
    UPCOMING = "upcoming"
    RETIRED = "retired"
    DELETED = "deleted"
    ANY = "any"


class TextKind(StrEnum):
    """The kinds of records that are searched."""

    FACTS = "facts"
    MESSAGES = "messages"
    OBSERVATIONS = "observations"
    LESSONS = "lessons"
    SUMMARIES = "summaries"
    """The summaries of closed conversations."""


Choice = TypeVar("Choice", bound=StrEnum)


_NO_REMEDIES: Mapping[str, str] = MappingProxyType({})
NOT_DELETED: Mapping[str, str] = MappingProxyType({"deleted": "use `deleted=True`"})
"""Deleted records are a filter of their own: a record of any state or status can be deleted."""


def choice(
    options: type[Choice], value: str, *, name: str, instead: Mapping[str, str] = _NO_REMEDIES
) -> Choice:
    """Return the member with a value. Raise InvalidInputError with the members if none has it.

    `instead` has the remedies for values that are refused here although they seem to fit.
    """
    if isinstance(value, str) and value in instead:
        raise InvalidInputError(f"{name} cannot be {str(value)!r}", remedy=instead[value])
    if isinstance(value, options):
        return value
    try:
        return options(value)
    except ValueError:
        allowed = ", ".join(each for each in options if each not in instead)
        remedy = f"use one of {allowed}"
        raise InvalidInputError(f"unknown {name} {value!r}", remedy=remedy) from None
