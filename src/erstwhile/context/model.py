"""A context: memory as text for a prompt, its items, and a report of what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from typing import TypeAlias, TypedDict

from erstwhile.blocks.block import Block
from erstwhile.context.chat import ChatMessage, chat_messages
from erstwhile.conversations.conversation import Compaction, Conversation, Message
from erstwhile.core.errors import NotFoundError
from erstwhile.core.ids import short_id
from erstwhile.facts.fact import Fact
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.secrets.masking import masked_repr
from erstwhile.tasks.task import Task

Quotable: TypeAlias = (
    Fact | Block | Lesson | Outcome | Observation | Task | Message | Conversation | Compaction
)
"""The records that a context can quote."""


class Section(StrEnum):
    """The sections of a context, in the order of its text. The first six are its stable prefix."""

    RULES = "rules"
    """Pinned facts."""
    INSTRUCTIONS = "instructions"
    """Facts of the kind `instruction`, whatever the question is."""
    BLOCKS = "blocks"
    PROFILE = "profile"
    """The values of keys, and facts of the kind `profile`."""
    PROJECT = "project"
    """Facts of the kinds `project` and `environment`."""
    LANGUAGE = "language"
    """The language to answer in."""
    FACTS = "facts"
    """The facts that match the query."""
    CONVERSATIONS = "conversations"
    """Passages of messages that match the query, in the order in which they were said."""
    LESSONS = "lessons"
    OUTCOMES = "outcomes"
    OBSERVATIONS = "observations"
    """Observations that match the query."""
    TASKS = "tasks"
    """Open tasks."""
    HISTORY = "history"
    """The last messages of the current conversation."""
    ONBOARDING = "onboarding"
    """The next onboarding hint, only on request: see `onboarding.next`."""


PREFIX = frozenset(
    (
        Section.RULES,
        Section.INSTRUCTIONS,
        Section.BLOCKS,
        Section.PROFILE,
        Section.PROJECT,
        Section.LANGUAGE,
    )
)
DEFAULT_NEEDS = frozenset(Section) - {Section.ONBOARDING}


class HistoryOverflow(StrEnum):
    """The treatment of messages that do not fit: drop them, or summarise them once."""

    DROP = "drop"
    SUMMARISE = "summarise"


class Omission(StrEnum):
    """Why a record that was found is not in the text."""

    BUDGET = "budget"
    """It does not fit."""
    DUPLICATE = "duplicate"
    """It is already in the text, in a section that fits better."""
    OVERRIDDEN = "overridden"
    """Its key has another value in a narrower scope."""


class ContextOptions(TypedDict, total=False):
    """The options of a context besides the query and the budget."""

    needs: Iterable[Section | str] | None
    """The sections; by default all but `onboarding`."""
    conversation: str | None
    """The conversation whose history is included."""
    channel: str | None
    """The channel whose current conversation is included; by default `default`."""
    language: str | None
    """The language of the headings and of the answer; by default that of the profile."""
    templates: str | PathLike[str] | None
    """A folder with custom templates."""
    overflow: HistoryOverflow | str
    """The treatment of messages that do not fit; by default `drop`."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A record that is quoted in the text."""

    section: Section
    citation: str
    """The number in brackets before it."""
    id: str
    text: str
    """The quoted text before escaping, as `parse` returns it. An ellipsis stands for a gap."""
    tokens: int
    """The tokens of its lines, with citation and notes."""
    source: Quotable

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A record that was found and is not in the text."""

    section: Section
    id: str
    text: str
    reason: Omission

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport:
    """How the budget was spent."""

    budget: int
    tokens: int
    """The tokens of the whole text; never more than the budget."""
    tokenizer: str
    prefix: int
    """The tokens of the prefix."""
    sections: Mapping[Section, int] = field(hash=False)
    """The tokens of each section in the text, with its headings."""
    left_out: tuple[LeftOut, ...]
    """The first records that were found and are not in the text."""
    left_out_count: int
    """The number of all of them, and of relevant records that were not read."""
    below_floor: int
    """The number of records that were compared with the query and are not relevant."""
    omitted: int
    """The number of messages of this conversation that are neither quoted nor summarised."""
    notices: tuple[str, ...]
    """Reasons why a part of recall was not possible, such as an embedder that is down."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Memory for a prompt: a tail, and a prefix that changes only when its records change."""

    prefix: str
    tail: str
    tail_without_history: str
    """The tail for a prompt that has the history as chat messages."""
    items: tuple[ContextItem, ...]
    report: ContextReport

    @property
    def text(self) -> str:
        """The whole text."""
        return self.prefix + self.tail

    def cited(self, citation: str) -> ContextItem:
        """Return the item with a citation, such as `347` or `[347]`."""
        wanted = str(citation).strip("[] ")
        for item in self.items:
            if item.citation == wanted:
                return item
        raise NotFoundError(
            f"no item has the citation {citation!r}", remedy="see the citations in `items`"
        )

    def messages(self, user: str | None = None, *, history: bool = False) -> list[ChatMessage]:
        """Return the context as chat messages: system first, then alternating roles.

        The last is `user`, the user's message, with the tail before it. Without it the whole text
        is the system message, and you append the user's message. With `history`, the messages of
        this conversation are chat messages and not quoted a second time.
        """
        said = [
            item.source
            for item in self.items
            if history and item.section is Section.HISTORY
            if isinstance(item.source, Message | Compaction)
        ]
        tail = self.tail_without_history if history else self.tail
        return chat_messages(self.prefix, tail, said, user)

    def __str__(self) -> str:
        return self.text
