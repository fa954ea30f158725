"""Decisions: what was allowed, denied or observed when a tool was about to be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypedDict

from erstwhile.core.ids import new_id, short_id
from erstwhile.core.scope import SHARED, Scope
from erstwhile.core.time import Moment


class Choice(StrEnum):
    """What was decided. `observe` notes what happened, and enforces nothing."""

    ALLOW = "allow"
    DENY = "deny"
    OBSERVE = "observe"


class Decider(StrEnum):
    """Who decided; `advice` is a decision that only followed what `advise` said."""

    PERSON = "person"
    RULE = "rule"
    MODEL = "model"
    ADVICE = "advice"


class Lasting(StrEnum):
    """How far an allowance goes: this one call, the goal it was made for, or further."""

    ONCE = "once"
    GOAL = "goal"
    ALWAYS = "always"


class Namespace(StrEnum):
    """Which decisions are compared: those of the same goal, or all that are visible."""

    GOAL = "goal"
    GLOBAL = "global"


class FoundBy(StrEnum):
    """How a decision was compared: the very same input, its meaning, or only its words."""

    SAME = "same"
    MEANING = "meaning"
    WORDS = "words"


class Suggestion(StrEnum):
    """What past decisions suggest."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRequest:
    """A tool about to be used, of which somebody has to decide."""

    goal: str
    tool: str
    input: Any = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOutcome:
    """What came of a decision; `good` is None where nobody judged."""

    text: str
    good: bool | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision. The caller says the first half, the memory adds the second.

    The id is made here, so that the same object can be recorded again without harm.
    """

    goal: str
    tool: str
    choice: Choice | str
    input: Any = field(default_factory=dict)
    turn: int = 0
    message: str = ""
    """Why it is denied, or what was observed."""
    rationale: str = ""
    options: tuple[str, ...] = ()
    """What else was considered."""
    decided_by: Decider | str = Decider.PERSON
    decided_at: Moment | None = None
    """When; by default when it is recorded."""
    lasts: Lasting | str = Lasting.ALWAYS
    transient: bool = False
    """Whether it only came of a failure, such as a time-out, and is no judgement."""
    id: str = field(default_factory=lambda: new_id(datetime.now(UTC)))
    scope: Scope = SHARED
    recorded_at: datetime | None = None
    outcome: DecisionOutcome | None = None
    superseded_by: str | None = None
    superseded_because: str | None = None

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionHit:
    """A past decision, and how like the request it is, from 0 to 1."""

    decision: Decision
    similarity: float
    found_by: FoundBy
    note: str = ""
    """Why it was compared by words alone, where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What past decisions suggest, why, and which they are, nearest first."""

    suggestion: Suggestion
    reason: str
    precedents: tuple[DecisionHit, ...] = ()


class DecisionFilters(TypedDict, total=False):
    """Which decisions a question is about."""

    goal: str | None
    """Made for this goal."""
    tool: str | None
    """About this tool."""
    choice: Choice | str | None
    """That allow, deny or observe."""
    decided_by: Decider | str | None
    """Made by a person, a rule, a model or earlier advice."""
    since: Moment | None
    """Decided at or after this time."""
    until: Moment | None
    """Decided before this time."""
