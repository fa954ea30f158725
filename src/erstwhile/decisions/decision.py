"""Decisions about calls of tools, requests for advice, and the advice itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypedDict

from erstwhile.core.ids import new_id, short_id
from erstwhile.core.scope import SHARED, Scope
from erstwhile.core.time import Moment
from erstwhile.secrets.masking import masked_repr


class Choice(StrEnum):
    """The choice that was made. `observe` only records a call."""

    ALLOW = "allow"
    DENY = "deny"
    OBSERVE = "observe"


class Decider(StrEnum):
    """The source of a decision. Only the word of a person allows, and no other source lifts it.

    `agent` is the agent that called the tool; `advice` means that earlier advice was followed.
    """

    PERSON = "person"
    RULE = "rule"
    MODEL = "model"
    AGENT = "agent"
    ADVICE = "advice"


class Lasting(StrEnum):
    """The duration of a decision: for one call, for its goal, or always."""

    ONCE = "once"
    GOAL = "goal"
    ALWAYS = "always"


class Coverage(StrEnum):
    """What a decision is about: exactly its input, or every input whose named fields are equal."""

    INPUT = "input"
    FIELDS = "fields"


class Namespace(StrEnum):
    """The decisions to compare: the ones with the same goal, or all visible ones."""

    GOAL = "goal"
    GLOBAL = "global"


class FoundBy(StrEnum):
    """How a decision was found: by the same input, the same act, its meaning, or its words."""

    SAME = "same"
    ACT = "act"
    MEANING = "meaning"
    WORDS = "words"


class Suggestion(StrEnum):
    """The suggestion of past decisions."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRequest:
    """A call of a tool that needs a decision."""

    goal: str
    tool: str
    input: Any = field(default_factory=dict)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOutcome:
    """The result of a decision; `good` is None if nobody judged it."""

    text: str
    good: bool | None
    at: datetime


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision. The caller sets the fields up to `key`, the memory sets the others.

    The key is created here, so that recording the same object again changes nothing. Only the scope
    of the decision knows it.
    """

    goal: str
    tool: str
    choice: Choice | str
    input: Any = field(default_factory=dict)
    turn: int = 0
    message: str = ""
    """The reason for a denial, or a note on the observed call."""
    rationale: str = ""
    options: tuple[str, ...] = ()
    """The other options that were considered."""
    decided_by: Decider | str = Decider.PERSON
    """Who decided. A program that speaks for a person leaves it out; every other names itself."""
    decided_at: Moment | None = None
    """The time of the decision; by default the time of recording."""
    lasts: Lasting | str = Lasting.ALWAYS
    covers: Coverage | str = Coverage.INPUT
    transient: bool = False
    """Whether it is only the result of a failure, such as a time-out, and not a judgement."""
    key: str = field(default_factory=lambda: new_id(datetime.now(UTC)))
    id: str = ""
    scope: Scope = SHARED
    recorded_at: datetime | None = None
    outcome: DecisionOutcome | None = None
    superseded_by: str | None = None
    superseded_because: str | None = None
    deleted_at: datetime | None = None
    vouched: bool = True
    """Whether somebody here vouches for it: what people allowed in a file allows nothing here."""

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionHit:
    """A past decision, and its similarity to the request as a score from 0 to 1."""

    decision: Decision
    score: float
    found_by: FoundBy
    note: str = ""
    """The reason if the decision was compared by words only."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The suggestion of past decisions, the reason, and the precedents, most similar first."""

    suggestion: Suggestion
    reason: str
    precedents: tuple[DecisionHit, ...] = ()
    unread: bool = False
    """Whether the tool has denials, and a part of the call could not be compared with them."""


class DecisionFilters(TypedDict, total=False):
    """The filters of decisions."""

    goal: str | None
    """The goal of the decision."""
    tool: str | None
    """The tool of the call."""
    choice: Choice | str | None
    """Allow, deny or observe."""
    decided_by: Decider | str | None
    """A person, a rule, a model, an agent or earlier advice."""
    since: Moment | None
    """Decided at or after this time."""
    until: Moment | None
    """Decided before this time."""
