"""A candidate: a statement found in a turn, as it passes through the stages of learning.

Extraction or patterns create it. Provenance adds whose words it rests on, the guard cleans its
texts, verification adds the answers of the language model, reconciliation turns it into a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from erstwhile.core.errors import RefusedError
from erstwhile.core.kinds import Ending, Kind, Origin

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact, Relation

BY_MODEL = "llm:"
"""The prefix of `found_by` and of an attempt's method, before the name of a model."""


class Support(StrEnum):
    """Whether the user's words support a statement; if they do not, why."""

    SAID = "said"
    QUESTION = "question"
    SUPPOSITION = "supposition"
    PLAN = "plan"
    JOKE = "joke"
    STORY = "story"
    SOMEBODY_ELSE = "somebody else"
    QUOTED = "quoted"
    FOR_A_WHILE = "for a while"
    NO_LONGER = "no longer"
    DENIED = "denied"
    MORE = "more than said"
    MISREAD = "misread"


class FactStatus(StrEnum):
    """What the user's words mean for a known fact."""

    CURRENT = "goes on"
    ENDED = "over"
    WRONG = "never so"


class About(StrEnum):
    """The subject of a statement. It decides the scope in which the fact is stored."""

    USER = "user"
    PROJECT = "project"


class GuardAction(StrEnum):
    """The action of a check on a text, from the mildest to the most severe."""

    KEEP = "keep"
    REDACT = "redact"
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one check. `text` is the part of the examined text that may be stored."""

    action: GuardAction
    text: str
    reason: str = ""
    rule: str = ""
    """The check and its rule, such as "injection/override"."""

    def to_error(self) -> RefusedError:
        """Return the error that tells a caller why a text is not stored."""
        return RefusedError(
            f"not stored: {self.reason} ({self.rule})",
            remedy="write it without that, or let a person store it",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible fact, what it may replace, and what the stages found out about it."""

    text: str
    """One declarative statement in the third person, as it would be stored."""
    kind: Kind = Kind.FACT
    about: About | None = None
    """The subject, if the extractor names one."""
    key: str | None = None
    """The key of a single-valued attribute, such as "name"."""
    value: str | None = None
    """The bare value of the key, such as "Mel"."""
    slot: str = ""
    """The words of `text` that are the changing value. Patterns set it."""
    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    valid_from: datetime | None = None
    """The start of its validity, if the turn names one."""
    expires_at: datetime | None = None
    confidence: float | None = None
    replaces: tuple[str, ...] = ()
    """The ids of the facts that it replaces or ends, if the extractor names them."""
    instead_of: tuple[str, ...] = ()
    """The values that it replaces, in the words of the turn: "npm". Patterns set it."""
    changes: bool = False
    """Whether the sentence itself says that this is a change. Patterns set it."""
    corrects: bool = False
    """Whether the sentence corrects a slip. Patterns set it."""
    ends: bool = False
    """Whether it only ends something; `text` then says what was true."""
    quote: str = ""
    """The words of the turn that it rests on."""
    messages: tuple[str, ...] = ()
    """The ids of the messages that contain these words."""
    origin: Origin = Origin.LEARNED
    """Whose words they are."""
    found_by: str = ""
    """The pattern or the model that found it."""
    unnamed_change: bool = False
    """Whether the user's own words do not name what changes, so that others may be behind it."""
    in_own_speech: bool = False
    """Whether the words that it rests on are positively the user's own plain speech."""
    support: Support | None = None
    """The answer of verification about the statement; None if it was not asked."""
    statuses: Mapping[str, FactStatus] = field(default_factory=dict)
    """The answers of verification about known facts, by their ids."""
    verdicts: tuple[Verdict, ...] = ()
    """The verdicts of provenance, guard and verification."""
    masked: str = ""
    """The text as the record of the attempt keeps it."""

    @property
    def by_model(self) -> bool:
        """Whether a language model proposed it."""
        return self.found_by.startswith(BY_MODEL)

    def claims(self, fact: Fact) -> bool:
        """Return whether it names a fact to replace or end, or is another value of its key."""
        keyed = not self.ends and self.key is not None and self.key == fact.key
        return keyed or fact.id in self.replaces

    @property
    def held(self) -> Verdict | None:
        """The verdict that holds it until a person decides; None if there is none."""
        return next((each for each in self.verdicts if each.action is GuardAction.HOLD), None)

    @property
    def refused(self) -> Verdict | None:
        """The verdict that refuses it; None if there is none."""
        return next((each for each in self.verdicts if each.action is GuardAction.REFUSE), None)

    @property
    def rules(self) -> str:
        """The names of the rules that matched, for the record of the attempt."""
        return ", ".join(dict.fromkeys(each.rule for each in self.verdicts))

    def judged(self, *verdicts: Verdict) -> Candidate:
        """Return the candidate with more verdicts."""
        return replace(self, verdicts=(*self.verdicts, *verdicts)) if verdicts else self

    def hold(self, rule: str, reason: str) -> Candidate:
        """Return the candidate, held until a person decides."""
        return self.judged(Verdict(GuardAction.HOLD, self.text, reason, rule))


class ChangeType(StrEnum):
    """The effect of a change."""

    ADD = "add"
    """A new fact."""
    REPEAT = "repeat"
    """Evidence for a fact with the same text."""
    SUPERSEDE = "supersede"
    """A new fact that replaces the facts."""
    END = "end"
    """The facts are no longer true, and nothing replaces them."""
    CONFLICT = "conflict"
    """A new fact, linked with the facts that it may contradict."""
    HOLD = "hold"
    """A new fact in quarantine, until a person decides; nothing else changes."""
    REFUSE = "refuse"
    """No change."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change for one candidate; `facts` are the stored facts that it touches."""

    act: ChangeType
    candidate: Candidate
    because: str
    """The reason, for the audit trail."""
    facts: tuple[Fact, ...] = ()
    disputed: tuple[Fact, ...] = ()
    """The facts that it contradicts but may not touch: each becomes a conflict."""
    ending: Ending = Ending.SUPERSEDED
    """How the facts end, if they do: a correction shows that they were never true."""
