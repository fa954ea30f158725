"""A context: memory as text for a prompt, what stands in it, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from typing import TypeAlias, TypedDict

from erstwhile.blocks.block import Block
from erstwhile.conversations.conversation import Compaction, Conversation, Message
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import choice
from erstwhile.facts.fact import Fact
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.tasks.task import Task

MAX_TOKENS = 10_000_000

Quotable: TypeAlias = (
    Fact | Block | Lesson | Outcome | Observation | Task | Message | Conversation | Compaction
)
"""What an item may be made of."""


class Section(StrEnum):
    """What a context can hold, in the order of its text. The first five are its stable prefix."""

    RULES = "rules"
    """Pinned facts: what always matters."""
    BLOCKS = "blocks"
    PROFILE = "profile"
    """The values of keys, and facts of the kind `profile`."""
    PROJECT = "project"
    """Facts of the kinds `project` and `environment`."""
    LANGUAGE = "language"
    """Which language to answer in."""
    FACTS = "facts"
    """What recall finds for the question, by kind."""
    CONVERSATIONS = "conversations"
    """What was said about it in other conversations."""
    LESSONS = "lessons"
    OUTCOMES = "outcomes"
    OBSERVATIONS = "observations"
    """Those that match the question."""
    TASKS = "tasks"
    """The open ones."""
    HISTORY = "history"
    """The last messages of the conversation that is going on."""
    ONBOARDING = "onboarding"
    """The hint that is due. Only if it is asked for: see `onboarding.next`."""


PREFIX = frozenset(
    (Section.RULES, Section.BLOCKS, Section.PROFILE, Section.PROJECT, Section.LANGUAGE)
)
USUAL = frozenset(Section) - {Section.ONBOARDING}


class HistoryOverflow(StrEnum):
    """What becomes of messages for which there is no room: left out, or summed up once."""

    DROP = "drop"
    SUMMARISE = "summarise"


class Omission(StrEnum):
    """Why something that was found is not in the text."""

    BUDGET = "budget"
    """It does not fit."""
    DUPLICATE = "duplicate"
    """It stands there already, in a section that it fits better."""
    OVERRIDDEN = "overridden"
    """Its key has another value in a narrower scope."""


class ContextOptions(TypedDict, total=False):
    """What a caller may say of a context besides the question and the budget."""

    needs: Iterable[Section | str] | None
    """Which sections; all but `onboarding` unless said."""
    conversation: str | None
    """The conversation whose history is given;"""
    channel: str | None
    """or the channel whose current conversation it is, `default` unless said."""
    language: str | None
    """Which words stand round the memory, and in which language to answer: that of the profile
    unless said."""
    templates: str | PathLike[str] | None
    """A folder with words of one's own."""
    overflow: HistoryOverflow | str
    """What becomes of messages that find no room; `drop` unless said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """Something quoted in the text."""

    section: Section
    id: str
    text: str
    """As it is quoted, before escaping: what `parse` gives back."""
    tokens: int
    """Of its lines, with its id and date."""
    source: Quotable

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something that was found and is not in the text."""

    section: Section
    id: str
    text: str
    reason: Omission

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport:
    """How a budget was spent."""

    budget: int
    tokens: int
    """Of the whole text; never more than the budget."""
    tokenizer: str
    prefix: int
    """How many of them are the prefix."""
    sections: Mapping[Section, int] = field(hash=False)
    """Of each section that is there, counted by itself with its heading."""
    left_out: tuple[LeftOut, ...]
    below_floor: int
    """How many facts were compared with the question and do not matter for it."""
    omitted: int
    """How many messages of this conversation are neither there nor summed up."""
    notices: tuple[str, ...]
    """What could not be used, such as a model that is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Memory for a prompt: a prefix that stays the same while its memory does, and a tail."""

    prefix: str
    tail: str
    items: tuple[ContextItem, ...]
    report: ContextReport

    @property
    def text(self) -> str:
        return self.prefix + self.tail

    def messages(self) -> list[dict[str, str]]:
        """The same as chat messages: the prefix for the system, the tail before the question."""
        parts = (("system", self.prefix), ("user", self.tail))
        return [{"role": role, "content": part} for role, part in parts if part]

    def __str__(self) -> str:
        return self.text


def checked_tokens(tokens: int) -> int:
    whole = isinstance(tokens, int) and not isinstance(tokens, bool)
    if not whole or not 0 <= tokens <= MAX_TOKENS:
        raise InvalidInputError(
            f"a budget lies between 0 and {MAX_TOKENS:,} tokens, not {tokens!r}",
            remedy="give it as a whole number, such as 4000",
        )
    return tokens


def checked_needs(needs: Iterable[Section | str] | None) -> frozenset[Section]:
    """The sections that were asked for; all that are usual unless said."""
    if needs is None:
        return USUAL
    if isinstance(needs, str) or not isinstance(needs, Iterable):
        raise InvalidInputError(
            f"needs must be a list of sections, not {needs!r}", remedy='write ["facts", "profile"]'
        )
    return frozenset(choice(Section, each, name="section") for each in needs)
