"""Retention: how long records of each kind are kept, by age or by number. By default for ever."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.time import FOREVER, parse_age


class Retained(StrEnum):
    """The kinds of records with a limit. A test compares them with the tables of the schema."""

    DELETED = "deleted"
    """Records of every collection that were deleted and can be restored."""
    FACTS = "facts"
    """Facts that ended: retired, replaced or expired."""
    BLOCK_VERSIONS = "block_versions"
    """Earlier versions of blocks, in number for each block."""
    MESSAGES = "messages"
    """Messages that were learned from; the summaries stay."""
    CONVERSATIONS = "conversations"
    """Conversations without a new message, with all that belongs to them."""
    ATTEMPTS = "attempts"
    """Attempts of learning."""
    DECISIONS = "decisions"
    """Tool calls that were observed; what was allowed or denied stays."""
    CONFLICTS = "conflicts"
    """Conflicts that were settled."""
    TASKS = "tasks"
    """Tasks that are finished, with their runs."""
    RUNS = "runs"
    """Finished runs, in number for each task."""
    CHECKPOINTS = "checkpoints"
    """Phases of runs."""
    OUTCOMES = "outcomes"
    OBSERVATIONS = "observations"
    USAGE = "usage"
    """Calls of models."""
    AUDIT = "audit"
    """Audit entries, which are sealed: those of stored states stay."""


RetentionLimits: TypeAlias = str | Mapping[str, str | int | Sequence[str | int]]
"""A text such as "messages 1 year, usage 10000", or a table of names with ages and numbers."""
_BY_AGE_ALONE = frozenset((Retained.DELETED, Retained.AUDIT))
_NUMBER = re.compile(r"\d{1,15}")
_DURATION = re.compile(r"\d{1,6}\s*[a-z]+", re.IGNORECASE)
_NAMES = ", ".join(Retained)
_ACCEPTED = "write 'messages 365 days, block_versions 20'"


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Records are kept until they are older than `age`, or no longer among the `newest`."""

    age: str | None = None
    newest: int | None = None

    def before(self, now: datetime) -> datetime | None:
        """Return the time before which a record is too old."""
        return None if self.age is None else parse_age(self.age, now=now, name="retention")


Retention: TypeAlias = Mapping[Retained, KeepRule]


def parse_retention(given: RetentionLimits) -> Retention:
    """Parse the limits of a text, or of a table of names with ages and numbers."""
    rules: dict[Retained, KeepRule] = {}
    for name, limit in _limits(given):
        kind = _kind(name)
        rules[kind] = _limited(rules.get(kind, KeepRule()), kind, limit.strip())
    return rules


def written(given: RetentionLimits) -> str:
    """Return limits as one text."""
    return ", ".join(f"{name} {limit}" for name, limit in _limits(given))


def _limits(given: RetentionLimits) -> Iterator[tuple[str, str]]:
    if isinstance(given, str):
        for part in filter(None, map(str.strip, given.split(","))):
            kind, _, age = part.partition(" ")
            yield kind, age
    elif isinstance(given, Mapping):
        for name, limits in given.items():
            for limit in limits if isinstance(limits, list | tuple) else [limits]:
                yield str(name), str(limit)
    else:
        raise InvalidInputError(f"retention cannot be {given!r}", remedy=_ACCEPTED)


def _kind(name: str) -> Retained:
    try:
        return Retained(name)
    except ValueError:
        raise InvalidInputError(
            f"retention knows no {name!r}", remedy=f"use one of {_NAMES}"
        ) from None


def _limited(rule: KeepRule, kind: Retained, limit: str) -> KeepRule:
    if _NUMBER.fullmatch(limit):
        if kind in _BY_AGE_ALONE:
            raise InvalidInputError(
                f"{kind} cannot be limited by number", remedy=f"give an age: '{kind} 90 days'"
            )
        if rule.newest is None:
            return replace(rule, newest=int(limit))
    else:
        _check_age(kind, limit)
        if rule.age is None:
            return replace(rule, age=limit)
    raise InvalidInputError(f"retention limits {kind} twice", remedy=_ACCEPTED)


def _check_age(kind: Retained, age: str) -> None:
    """Raise InvalidInputError unless it is a duration: a fixed date would not move on."""
    if not _DURATION.fullmatch(age):
        raise InvalidInputError(f"retention of {kind} is no age: {age!r}", remedy=_ACCEPTED)
    parse_age(age, now=FOREVER, name=f"retention of {kind}")
