"""Policies parsed from settings: learning, secrets, denials, daily spending limit, retention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from erstwhile.core.errors import InvalidInputError, RefusedError
from erstwhile.core.kinds import choice
from erstwhile.core.logs import log_failure
from erstwhile.core.time import FOREVER, parse_age

if TYPE_CHECKING:
    from decimal import Decimal

    from erstwhile.usage.prices import UsageSummary


class Personal(StrEnum):
    """The treatment of e-mail addresses, card numbers and the like in learned facts."""

    KEEP = "keep"
    MASK = "mask"
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules for learning, and for the guard."""

    pii: Personal = Personal.KEEP
    """The treatment of personal data."""
    longest: int = 1_000
    """The longest text in characters; a learned fact is short."""
    verify: bool = True
    """Whether the language model verifies its proposals."""
    salience: bool = True
    """Whether turns that are certainly empty are skipped."""
    facts_per_turn: int = 20
    """The highest number of facts from one turn."""
    profile_characters: int = 20_000
    """The budget of a scope for live learned facts about a person that are not confirmed."""
    other_characters: int = 400_000
    """The budget for those of all other kinds."""


def _any_case(**forms: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(form, re.IGNORECASE) for name, form in forms.items()}


_SWITCHES = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_SWITCHED = ("verify", "salience")
_LEARNING_PARTS = _any_case(
    **{name: rf"{name}\s+({'|'.join(_SWITCHES)})" for name in _SWITCHED},
    facts_per_turn=r"facts_per_turn\s+([1-9]\d?|100)",
    profile_characters=r"profile_characters\s+(\d{1,7})",
    other_characters=r"other_characters\s+(\d{1,7})",
)
_LEARNING_REMEDY = (
    "write 'verify true', 'salience true', 'facts_per_turn 20', 'profile_characters 20000', "
    "'other_characters 400000', or several with commas between them"
)


def _split_setting(
    setting: str, text: str, parts: Mapping[str, re.Pattern[str]], remedy: str
) -> dict[str, str]:
    """Return the value of each part of a setting, which the group of its pattern matches."""
    found: dict[str, str] = {}
    for part in text.split(",") if isinstance(text, str) else [""]:
        matches = ((name, form.fullmatch(part.strip())) for name, form in parts.items())
        name, match = next(((name, match) for name, match in matches if match), ("", None))
        if match is None or name in found:
            raise InvalidInputError(f"{setting} is not understood: {text!r}", remedy=remedy)
        found[name] = match[1]
    return found


def parse_learning(text: str, pii: str = Personal.KEEP) -> Policy:
    """Parse the setting `learning`. A part that is left out has its default."""
    given = _split_setting("learning", text, _LEARNING_PARTS, _LEARNING_REMEDY) if text else {}
    values = {
        name: _SWITCHES[word.lower()] if name in _SWITCHED else int(word)
        for name, word in given.items()
    }
    return Policy(pii=choice(Personal, pii, name="pii"), **values)  # type: ignore[arg-type]


class SecretTreatment(StrEnum):
    """The treatment of a text with a secret."""

    MASK = "mask"
    """The secret is masked."""
    WARN = "warn"
    """The secret is masked, and the log gets a warning with the name of the rule."""
    REFUSE = "refuse"
    """The change is refused with the name of the rule. Queries are masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPolicy:
    """The treatment of secrets, and the rules that find none in this memory."""

    treatment: SecretTreatment = SecretTreatment.MASK
    kept: frozenset[str] = frozenset()

    def judge(self, rules: set[str]) -> None:
        """Refuse a change, or log a warning, if these rules found something in its texts."""
        if not rules or self.treatment is SecretTreatment.MASK:
            return
        names = ", ".join(sorted(rules))
        if self.treatment is SecretTreatment.REFUSE:
            raise RefusedError(
                f"the text has a secret ({names})",
                remedy="leave it out; if it is no secret, add 'keep RULE' to the setting secrets",
            )
        log_failure(__name__, "a secret was masked (%s)", names)


_SECRETS_REMEDY = "write 'mask', 'warn' or 'refuse', and 'keep RULE' for each rule that is left out"


def parse_secrets(text: str) -> SecretPolicy | None:
    """Parse the setting `secrets`; None if every secret is masked, and no more."""
    treatments, kept = list[SecretTreatment](), set[str]()
    for part in text.split(",") if isinstance(text, str) else ["?"]:
        word, _, rule = part.strip().partition(" ")
        if word == "keep" and rule.strip():
            kept.add(rule.strip())
        elif word in tuple(SecretTreatment) and not rule:
            treatments.append(SecretTreatment(word))
        else:
            raise InvalidInputError(f"secrets is not understood: {text!r}", remedy=_SECRETS_REMEDY)
    if len(treatments) > 1:
        raise InvalidInputError(f"secrets names two treatments: {text!r}", remedy=_SECRETS_REMEDY)
    policy = SecretPolicy(treatment=(treatments or [SecretTreatment.MASK])[0], kept=frozenset(kept))
    return None if policy == SecretPolicy() else policy


SAME_ACT = 0.75
"""The score of a call that contains the act of another one among very much else."""
_DENIAL_PARTS = _any_case(
    denials=r"(\d{1,9})\s*denials?",
    share=r"share\s*(\d(?:\.\d+)?)",
    floor=r"floor\s*(\d(?:\.\d+)?)",
)
_DENIALS_REMEDY = "write '1 denial', 'share 0.6', 'floor 0.75', or several with commas between them"


@dataclass(frozen=True, slots=True, kw_only=True)
class DenialPolicy:
    """The condition under which denials of the same act deny a request."""

    denials: int = 1
    """The fewest denials."""
    share: float = 0.6
    """The smallest share of denials among all judgements on the same act."""
    floor: float = SAME_ACT
    """The lowest score of a precedent; 1 means exactly this input."""

    def __post_init__(self) -> None:
        if isinstance(self.denials, bool) or not isinstance(self.denials, int) or self.denials < 1:
            raise InvalidInputError(f"denials must be a whole number from 1, not {self.denials!r}")
        for name in ("share", "floor"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InvalidInputError(f"{name} must be a number from 0 to 1, not {value!r}")


def parse_denials(text: str) -> DenialPolicy:
    """Parse the setting `denials`. A part that is left out has its default."""
    given = _split_setting("denials", text, _DENIAL_PARTS, _DENIALS_REMEDY)
    kinds = {"denials": int, "share": float, "floor": float}
    return DenialPolicy(**{name: kinds[name](value) for name, value in given.items()})


NO_LIMIT = "none"
_LIMIT_PARTS = _any_case(
    tokens=r"(\d[\d_]{0,20})\s*tokens?", dollars=r"(\d[\d_]{0,20}(?:\.\d{1,9})?)\s*usd"
)
_LIMIT_REMEDY = f"write '200000 tokens', '1.50 usd', '200000 tokens, 1.50 usd' or {NO_LIMIT!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyLimit:
    """The limit for the calls of a day; None means unlimited."""

    tokens: int | None = None
    dollars: Decimal | None = None

    def reached(self, spent: UsageSummary) -> str:
        """Return which limit today's spending has reached; empty if none."""
        used = spent.input + spent.output + spent.cache_read + spent.cache_write
        if self.tokens is not None and used >= self.tokens:
            return f"today's limit of {self.tokens:,} tokens is reached"
        if self.dollars is not None and (spent.cost or 0) >= self.dollars:
            return f"today's limit of {self.dollars} usd is reached"
        return ""

    def __str__(self) -> str:
        tokens = [] if self.tokens is None else [f"{self.tokens} tokens"]
        dollars = [] if self.dollars is None else [f"{self.dollars} usd"]
        return ", ".join(tokens + dollars) or NO_LIMIT


def parse_daily_limit(text: str) -> DailyLimit:
    """Parse a limit in tokens, in dollars, or in both with a comma between them."""
    if isinstance(text, str) and text.strip().lower() in ("", NO_LIMIT):
        return DailyLimit()
    given = _split_setting("daily_limit", text, _LIMIT_PARTS, _LIMIT_REMEDY)
    tokens = int(given["tokens"]) if "tokens" in given else None
    if "dollars" not in given:
        return DailyLimit(tokens=tokens)
    from decimal import Decimal  # few limits are in money

    return DailyLimit(tokens=tokens, dollars=Decimal(given["dollars"]))


class Retained(StrEnum):
    """The kinds of records with a limit. A test compares them with the tables of the schema."""

    DELETED = "deleted"
    """Records of every collection that were deleted and can be restored."""
    FACTS = "facts"
    """Facts that ended: retired, replaced or expired."""
    QUARANTINED = "quarantined"
    """Facts in quarantine that nobody approved. They expire, which can be undone."""
    UNCERTAIN = "uncertain"
    """Learned facts with a confidence below 0.5 that nothing confirmed. They expire, too."""
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
_RETENTION_REMEDY = "write 'messages 365 days, block_versions 20'"


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
    for name, limit in _split_limits(given):
        try:
            kind = Retained(name)
        except ValueError:
            raise InvalidInputError(
                f"unknown kind of records {name!r}",
                remedy=f"use one of {', '.join(Retained)}",
            ) from None
        rules[kind] = _add_limit(rules.get(kind, KeepRule()), kind, limit.strip())
    return rules


def table_text(given: RetentionLimits) -> str:
    """Return a table of a configuration file as one text."""
    return ", ".join(f"{name} {limit}" for name, limit in _split_limits(given))


def _split_limits(given: RetentionLimits) -> Iterator[tuple[str, str]]:
    if isinstance(given, str):
        for part in filter(None, map(str.strip, given.split(","))):
            kind, _, age = part.partition(" ")
            yield kind, age
    elif isinstance(given, Mapping):
        for name, limits in given.items():
            for limit in limits if isinstance(limits, list | tuple) else [limits]:
                yield str(name), str(limit)
    else:
        raise InvalidInputError(f"retention cannot be {given!r}", remedy=_RETENTION_REMEDY)


def _add_limit(rule: KeepRule, kind: Retained, limit: str) -> KeepRule:
    if _NUMBER.fullmatch(limit):
        if kind in _BY_AGE_ALONE:
            raise InvalidInputError(
                f"{kind} cannot be limited by number", remedy=f"give an age: '{kind} 90 days'"
            )
        if rule.newest is None:
            return replace(rule, newest=int(limit))
    elif not _DURATION.fullmatch(limit):  # a fixed date would not move on
        raise InvalidInputError(
            f"retention of {kind} is not an age: {limit!r}", remedy=_RETENTION_REMEDY
        )
    else:
        parse_age(limit, now=FOREVER, name=f"retention of {kind}")
        if rule.age is None:
            return replace(rule, age=limit)
    raise InvalidInputError(f"retention limits {kind} twice", remedy=_RETENTION_REMEDY)
