"""The request for a context, and the context: its text, its items and its report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from os import PathLike
from typing import TypeAlias, TypedDict

from erstwhile.blocks.block import Block
from erstwhile.context.escaping import quoted, without_marks
from erstwhile.conversations.conversation import (
    Compaction,
    Conversation,
    Message,
    Role,
    resolve_channel,
)
from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import TextKind, choice
from erstwhile.core.languages import checked_language
from erstwhile.core.public_record import PublicRecord, html_table, html_text, public_record
from erstwhile.core.text import (
    MEMORY_CLOSING,
    MEMORY_OPENING,
    check_storable,
    checked_text,
)
from erstwhile.core.time import Moment, parse_moment
from erstwhile.facts.fact import MAX_TEXT, Fact
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.secrets.masking import mask_text
from erstwhile.tasks.task import Task

Quotable: TypeAlias = (
    Fact | Block | Lesson | Outcome | Observation | Task | Message | Conversation | Compaction
)
"""The records that a context can quote."""
ChatMessage: TypeAlias = dict[str, str]
"""A message with `role` and `content`."""
_MAX_LENGTH = 10_000_000
MAX_TOKENS = 10_000_000
_MAX_QUERY = 20_000
"""The characters of a query that are read: its beginning and its end."""
_SUMMARY, _TOOL_SUMMARY = "summary", "summary, also of tools"


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


SECTIONS = {
    TextKind.FACTS: Section.FACTS,
    TextKind.MESSAGES: Section.CONVERSATIONS,
    TextKind.SUMMARIES: Section.CONVERSATIONS,
    TextKind.OBSERVATIONS: Section.OBSERVATIONS,
    TextKind.LESSONS: Section.LESSONS,
}
"""The section of each kind of records that is searched."""


PREFIX = frozenset(list(Section)[:6])
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
    fill: bool
    """Whether to fill the budget with what is hardly relevant, too; by default not."""
    now: Moment | None
    """The date of the question; by default now. Nothing that was said or began later is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """The checked arguments of `Memory.context`."""

    query: str
    """Empty, if there is no query."""
    tokens: int
    needs: frozenset[Section]
    conversation: str | None
    channel: str
    templates: str | PathLike[str] | None
    language: str | None
    overflow: HistoryOverflow
    fill: bool
    now: datetime | None
    """The date of the question; None is now."""


def checked_request(
    query: str, tokens: int, options: ContextOptions, now: datetime
) -> ContextRequest:
    """Check the arguments of `Memory.context`."""
    check_keywords(options, ContextOptions, "tokens")
    conversation, language = options.get("conversation"), options.get("language")
    asked_at = options.get("now")
    channel, text = resolve_channel(conversation, options.get("channel")), _checked_query(query)
    is_whole = isinstance(tokens, int) and not isinstance(tokens, bool)
    if not is_whole or not 0 <= tokens <= MAX_TOKENS:
        raise InvalidInputError(
            f"a budget lies between 0 and {MAX_TOKENS:,} tokens, not {tokens!r}",
            remedy="give it as a whole number, such as 4000",
        )
    return ContextRequest(
        query=text,
        tokens=tokens,
        needs=_checked_needs(options.get("needs")),
        conversation=conversation,
        channel=channel,
        templates=options.get("templates"),
        language=None if language is None else checked_language(language),
        overflow=choice(HistoryOverflow, options.get("overflow", "drop"), name="overflow"),
        fill=bool(options.get("fill", False)),
        now=None if asked_at is None else parse_moment(asked_at, now=now, name="now"),
    )


def _checked_query(query: str) -> str:
    """Return a query that can be searched, or an empty one if it is blank.

    A whole message of a user may be the query: no text makes a context fail. Characters that cannot
    be stored are replaced, and of a very long query the two ends are read.
    """
    if not isinstance(query, str):
        raise InvalidInputError(f"query must be a text, not {query!r}", remedy="give a question")
    if len(query) > _MAX_QUERY:
        query = f"{query[: _MAX_QUERY // 2]}\n{query[-_MAX_QUERY // 2 :]}"
    text = query.replace("\0", " ").encode(errors="replace").decode()
    return checked_text(text, name="query", limit=MAX_TEXT) if text.strip() else ""


def _checked_needs(needs: Iterable[Section | str] | None) -> frozenset[Section]:
    if needs is None:
        return DEFAULT_NEEDS
    if isinstance(needs, str) or not isinstance(needs, Iterable):
        raise InvalidInputError(
            f"needs must be a list of sections, not {needs!r}", remedy='write ["facts", "profile"]'
        )
    return frozenset(choice(Section, each, name="section") for each in needs)


@public_record
class ContextItem(PublicRecord):
    """A record that is quoted in the text."""

    _shown = ("citation", "section", "text", "tokens")
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


@public_record
class LeftOut(PublicRecord):
    """A record that was found and is not in the text."""

    _shown = ("section", "short_id", "reason", "text")
    section: Section
    id: str
    text: str
    reason: Omission

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@public_record
class ContextReport(PublicRecord):
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


@public_record
class Context(PublicRecord):
    """Memory for a prompt: a tail, and a prefix that changes only when its records change."""

    _shown = ("report.tokens", "report.budget", "report.left_out_count")
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
        # Providers refuse two messages of one role in a row, empty ones, and results of tools
        # without the call. So messages of one role are merged, and those of other roles than user
        # and assistant are quoted as data.
        tail = self.tail_without_history if history else self.tail
        system = self.prefix if user is not None else self.prefix + tail
        items = (item for item in self.items if history and item.section is Section.HISTORY)
        turns = [*_turns(item.source for item in items)]
        if user is not None:
            check_storable(user, "user", _MAX_LENGTH)
            if turns and turns[-1] == (Role.USER, without_marks(mask_text(user))):
                turns.pop()  # it is stored already, without its secrets
            turns.append((Role.USER, f"{tail}\n{user}" if tail else user))
        merged = [
            {"role": role.value, "content": "\n\n".join(content for _, content in run)}
            for role, run in groupby(turns, lambda turn: turn[0])
        ]
        return [{"role": Role.SYSTEM.value, "content": system}, *merged] if system else merged

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return the items and the text for notebooks."""
        caption = f"{self.report.tokens} of {self.report.budget} tokens"
        return html_table(self.items, caption) + html_text(self.text)


def _turns(said: Iterable[Quotable]) -> Iterator[tuple[Role, str]]:
    """Yield each message with a role that a chat has. Before the first of the user all is data."""
    begun = False
    for each in said:
        if isinstance(each, Compaction):
            yield Role.USER, _data(_TOOL_SUMMARY if each.of_tools else _SUMMARY, each.summary)
        if not isinstance(each, Message):
            continue
        begun = begun or each.role is Role.USER
        if not each.content.strip():
            continue
        if begun and each.role in (Role.USER, Role.ASSISTANT):
            yield each.role, without_marks(each.content)
        else:
            yield Role.USER, _data(each.role, each.content)


def _data(label: str, text: str) -> str:
    return f"{MEMORY_OPENING}\n{quoted(label, text)}{MEMORY_CLOSING}"
