"""Decisions about calls of tools, requests for advice, and the advice itself."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypedDict

from erstwhile.core.errors import CorruptError, InvalidInputError
from erstwhile.core.ids import new_id, short_id
from erstwhile.core.ports import Row
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import MAX_LIMIT
from erstwhile.core.scope import SHARED, Scope, to_scope
from erstwhile.core.time import Moment, from_micros, to_micros
from erstwhile.storage.columns import Codec, RowType

if TYPE_CHECKING:
    from erstwhile.decisions.collection import Decisions


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


@public_record
class DecisionRequest(PublicRecord):
    """A call of a tool that needs a decision."""

    goal: str
    tool: str
    input: Any = field(default_factory=dict)


@public_record
class DecisionOutcome(PublicRecord):
    """The result of a decision; `good` is None if nobody judged it."""

    text: str
    good: bool | None
    at: datetime


@public_record
class Decision(PublicRecord):
    """One decision. The caller sets the fields from `goal` to `key`, the memory sets the others.

    The key is created here, so that recording the same object again changes nothing. Only the scope
    of the decision knows it.
    """

    _shown = ("short_id", "choice", "tool", "goal")
    id: str = ""
    scope: Scope = SHARED
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
    recorded_at: datetime | None = None
    outcome: DecisionOutcome | None = None
    superseded_by: str | None = None
    superseded_because: str | None = None
    deleted_at: datetime | None = None
    trusted: bool = True
    """False for a permission from an untrusted file: it has no effect."""

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@public_record
class DecisionHit(PublicRecord):
    """A past decision, and its similarity to the request as a score from 0 to 1."""

    _shown = ("score", "decision.short_id", "decision.choice", "decision.tool", "decision.goal")
    decision: Decision
    score: float
    found_by: FoundBy
    note: str = ""
    """The reason if the decision was compared by words only."""


@public_record
class Advice(PublicRecord):
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


def untrusted(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table of decisions, marked as untrusted if a person decided."""
    trusted = 0 if row["decided_by"] == Decider.PERSON else row["trusted"]
    return {**row, "trusted": trusted}


def known(words: Any, stored: str, otherwise: Any) -> Any:
    """Return the word of an enumeration; the other one for a word of a later version."""
    return words(stored) if stored in words.__members__.values() else otherwise


def to_json(value: Any) -> str:
    """Return an input as JSON with sorted keys; it was checked before."""
    return json.dumps(
        value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")
    )


def _word(words: type[StrEnum], otherwise: StrEnum) -> Codec:
    return Codec(None, lambda stored: known(words, stored, otherwise))


DECISION_ROW = RowType(
    Decision,
    "decision",
    without=("outcome",),
    codecs={
        "choice": _word(Choice, Choice.DENY),
        "input": Codec(to_json, json.loads, (None, "null")),
        "decided_by": _word(Decider, Decider.MODEL),
        "decided_at": Codec(to_micros, from_micros),
        "lasts": _word(Lasting, Lasting.ONCE),
        "covers": _word(Coverage, Coverage.INPUT),
    },
)


OUTCOME_ROW = RowType(
    DecisionOutcome,
    "outcome",
    names={"text": "outcome", "good": "outcome_good", "at": "outcome_at"},
)


def to_decision(row: Row) -> Decision:
    """Make a decision from a row of the fragment `decision_columns`, which ends with its outcome.

    An unknown word, from a later version, is read as the one that permits least.
    """
    outcome = None if None in (row[-3], row[-1]) else OUTCOME_ROW.decode(row[-3:])
    return DECISION_ROW.decode(row, outcome=outcome)


class DamagedDecision(Decision):
    """The place of a row that cannot be decoded, to remove it: only its id and scope are known."""

    __slots__ = ()


def damaged_decision(row: Row) -> DamagedDecision:
    """Return the place of a damaged row of the fragment `decision_columns`."""
    return DamagedDecision(
        id=row[0],
        scope=to_scope(*row[1:5]),
        goal="",
        tool="",
        choice=Choice.DENY,
        input=str(row[8]),
        decided_by=Decider.MODEL,
    )


def readable(rows: Iterable[Row]) -> list[Decision]:
    """Return the decisions of rows, without damaged ones; warn about these."""
    found = []
    for row in rows:
        try:
            found.append(to_decision(row))
        except CorruptError as error:
            warn_damaged(error)
    return found


def warn_damaged(error: CorruptError) -> None:
    """Warn that a decision was left out of an answer."""
    remedy = "remove it with `decisions.erase`, or restore a copy"
    warnings.warn(f"{error.message} and was left out: {remedy}", RuntimeWarning, stacklevel=2)


TERMINAL, NOBODY = "terminal", "nobody"
"""Words for everybody at a terminal, and for no account."""
_PEOPLE = "erstwhile people"
"""The goal and tool of the shared decision about the system accounts of people.

Environment variables cannot change them, because an agent sets the environment of its commands.
"""
_NAMES = re.compile(r"[^\s,]+(?:\s*,\s*[^\s,]+)*")


def parse_people(text: str) -> Collection[str] | None:
    """Parse the accounts of people; None means everybody at a terminal."""
    if not isinstance(text, str) or not _NAMES.fullmatch(text.strip()):
        raise InvalidInputError(
            f"people cannot be {text!r}",
            remedy=f"use {TERMINAL}, {NOBODY}, or names of accounts with commas between them",
        )
    names = frozenset(name.strip() for name in text.split(","))
    if len(names) > 1 and names & {TERMINAL, NOBODY}:
        raise InvalidInputError(
            f"people is unclear: {text!r}", remedy=f"name accounts, or {TERMINAL}, or {NOBODY}"
        )
    return None if names == {TERMINAL} else names - {NOBODY}


def named_people(decisions: Decisions) -> str:
    """Return the accounts of people from the last decision of a person.

    A word that came with a file counts only as long as there is no other: it widens nothing, since
    without any word everybody at a terminal is a person.
    """
    page = decisions.list(tool=_PEOPLE, decided_by=Decider.PERSON, limit=MAX_LIMIT)
    words = [each for each in page if each.scope == SHARED and isinstance(each.input, str)]
    trusted = [each for each in words if each.trusted]
    return next((str(each.input) for each in trusted or words), TERMINAL)


def name_people(decisions: Decisions, text: str) -> Decision:
    """Record the accounts of people. The caller has checked that a person says so."""
    parse_people(text)
    return decisions.record(
        Decision(goal=_PEOPLE, tool=_PEOPLE, input=text.strip(), choice=Choice.ALLOW)
    )
