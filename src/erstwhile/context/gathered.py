"""The records that may go into a context, before they are made into text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from erstwhile.blocks.block import Block
from erstwhile.context.history import History
from erstwhile.context.model import Section
from erstwhile.conversations.conversation import Conversation, Message
from erstwhile.core.kinds import TextKind
from erstwhile.facts.fact import Fact
from erstwhile.profile.onboarding import OnboardingStage
from erstwhile.recall.hits import Recalled
from erstwhile.records.model import Lesson, Outcome
from erstwhile.tasks.task import Task

SECTIONS = {
    TextKind.FACTS: Section.FACTS,
    TextKind.MESSAGES: Section.CONVERSATIONS,
    TextKind.SUMMARIES: Section.CONVERSATIONS,
    TextKind.OBSERVATIONS: Section.OBSERVATIONS,
    TextKind.LESSONS: Section.LESSONS,
}
"""The section of each kind of records that is searched."""


@dataclass(frozen=True, slots=True)
class Found:
    """A record that was found, and where in its text the best passage is."""

    record: Recalled
    start: int
    end: int
    kind: TextKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer of a search."""

    found: Sequence[Found] = ()
    unread: int = 0
    """The number of relevant records beyond the limit of the search."""
    below_floor: int = 0
    notices: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Gathered:
    """The gathered records, most important first."""

    values: Mapping[str, Fact]
    """The current value of each key."""
    standing: Sequence[Fact]
    clashes: Sequence[tuple[str, str]] = ()
    """Pairs of ids of facts, recalled ones included, that may contradict each other."""
    blocks: Sequence[Block] = ()
    findings: SearchResult = field(default_factory=SearchResult)
    current: Conversation | None = None
    summarised: dict[str, Conversation] = field(default_factory=dict)
    """The conversations of found messages that have a summary, by id."""
    questions: dict[str, Message] = field(default_factory=dict)
    """The message before each short answer, by the id of the answer."""
    lessons: Sequence[Lesson] = ()
    outcomes: Sequence[Outcome] = ()
    tasks: Sequence[Task] = ()
    history: History | None = None
    stage: OnboardingStage | None = None
