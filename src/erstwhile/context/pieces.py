"""Pieces: records that may go into a context, each with its notes and its quoted lines.

In the prefix a note never depends on the clock, so that the prefix stays equal: a fact shows the
day of its last confirmation. In the tail a stale fact shows its age.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from erstwhile.blocks.block import Block
from erstwhile.blocks.content import is_archived
from erstwhile.context.model import PREFIX, Quotable, Section
from erstwhile.context.quoting import quoted
from erstwhile.context.wording import Wording
from erstwhile.conversations.conversation import (
    Compaction,
    Conversation,
    Message,
    Transcript,
)
from erstwhile.core.fork_safety import cached_property
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import Kind
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.profile.collection import value_line
from erstwhile.recall.hits import Hit
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.tasks.task import Task, TaskStatus

DOUBTFUL = 0.7
"""A lower confidence is shown in the notes. Learned facts have this confidence by default."""
_DAYS_IN_A_MONTH = 30
_DAYS_IN_A_YEAR = 365
_SCORES = {1: "good", 0: "neutral", -1: "bad"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Piece:
    """A record that may go into a context, complete or not at all."""

    section: Section
    source: Quotable
    text: str
    notes: str
    group: str = ""
    """The kind of a fact, where a section is grouped by kind."""

    @cached_property
    def lines(self) -> str:
        """Return the quoted lines. They are computed on first use: most pieces are never quoted."""
        return quoted(self.id, self.notes, self.text)

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.source.id

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks by which a repeat is recognised. In the history an equal text is no repeat."""
        return (self.id,) if self.section is Section.HISTORY else (self.id, folded(self.text))

    @property
    def heading(self) -> str:
        """The name of the heading directly above it."""
        return f"{self.section}/{self.group}" if self.group else self.section


class PieceFactory:
    """Creates pieces with one wording, for one moment."""

    def __init__(self, wording: Wording, now: datetime) -> None:
        self._word = wording.word
        self._now = now

    def fact(self, section: Section, fact: Fact, against: Iterable[str] = ()) -> Piece:
        """Create the piece of a fact; `against` has the ids of facts that it may contradict."""
        notes = [self._date(fact.valid_from), *self._doubts(fact, section in PREFIX)]
        notes += [self._word("disputed", id=short_id(id)) for id in against]
        text = fact.text if is_archived(fact) else value_line(fact)
        group = fact.kind.value if section is Section.FACTS else ""
        return _piece(section, fact, text, notes, group)

    def block(self, block: Block) -> Piece:
        """Create the piece of a block."""
        text = f"{block.name}: {block.content}"
        if "\n" in block.content:
            text = f"{block.name}:\n{block.content}"
        return _piece(Section.BLOCKS, block, text, [self._date(block.updated_at)])

    def lesson(self, lesson: Lesson) -> Piece:
        """Create the piece of a lesson."""
        notes = [self._date(lesson.learned_at)]
        if lesson.occurrences > 1:
            notes.append(self._word("times", count=lesson.occurrences))
        return _piece(Section.LESSONS, lesson, f"{lesson.domain}: {lesson.rule}", notes)

    def outcome(self, outcome: Outcome) -> Piece:
        """Create the piece of an outcome."""
        notes = [self._date(outcome.created_at), self._word(_SCORES[outcome.score])]
        text = outcome.domain if outcome.note is None else f"{outcome.domain}: {outcome.note}"
        return _piece(Section.OUTCOMES, outcome, text, notes)

    def observation(self, seen: Observation) -> Piece:
        """Create the piece of an observation."""
        parts = (seen.title, seen.what, seen.why, seen.where, seen.learned)
        text = "\n".join(part for part in parts if part)
        return _piece(Section.OBSERVATIONS, seen, text, [self._date(seen.created_at), seen.type])

    def task(self, task: Task) -> Piece:
        """Create the piece of a task."""
        notes = [self._word("due", **_day_and_time(task.due_at)), task.type]
        if task.due_at <= self._now:
            notes.append(self._word("overdue"))
        if task.recurrence is not None:
            notes.append(self._word("recurring"))
        if task.status is TaskStatus.CLAIMED:
            notes.append(self._word("claimed"))
        return _piece(Section.TASKS, task, task.description, notes)

    def message_hit(self, hit: Hit) -> Piece:
        """Create the piece of a message of another conversation: its matching part."""
        message = hit.message
        notes = [self._time(message.said_at), self._word(message.role)]
        return _piece(Section.CONVERSATIONS, message, hit.passage.text, notes)

    def conversation_summary(self, conversation: Conversation) -> Piece:
        """Create the piece of the summary of another conversation."""
        notes = [self._date(conversation.active_at), self._word("summary")]
        return _piece(Section.CONVERSATIONS, conversation, conversation.summary or "", notes)

    def message(self, message: Message) -> Piece:
        """Create the piece of a message of the current conversation."""
        notes = [self._time(message.said_at), self._word(message.role)]
        return _piece(Section.HISTORY, message, message.content, notes)

    def compaction(self, summed: Compaction) -> Piece:
        """Create the piece of a summary of earlier messages."""
        notes = [self._date(summed.created_at), self._word("summary")]
        return _piece(Section.HISTORY, summed, summed.summary, notes)

    def history(self, transcript: Transcript | None) -> Iterator[Piece]:
        """Yield the pieces of a conversation. The newest come first and get room first."""
        if transcript is not None:
            yield from map(self.message, reversed(transcript.messages))
            yield from map(self.compaction, reversed(transcript.compactions))

    def _doubts(self, fact: Fact, stable: bool) -> Iterator[str]:
        """Yield notes on age and confidence; `stable` notes do not depend on the clock."""
        if not stable and fact.ends_at is not None and fact.ends_at <= self._now:
            yield self._word("ended", date=_day(fact.ends_at))
        if stable and _day(fact.known_from) != _day(fact.valid_from):
            yield self._word("confirmed", date=_day(fact.known_from))
        if not stable and is_stale(fact, self._now):
            yield self._word("stale", age=self._age(self._now - fact.known_from))
        if fact.confidence < DOUBTFUL:
            yield self._word("confidence", share=f"{fact.confidence:.2f}")

    def _age(self, age: timedelta) -> str:
        for unit, days in (("year", _DAYS_IN_A_YEAR), ("month", _DAYS_IN_A_MONTH)):
            if age.days >= days:
                return self._counted(unit, age.days // days)
        return self._counted("day", age.days)

    def _counted(self, unit: str, count: int) -> str:
        return self._word(unit) if count == 1 else self._word(f"{unit}s", count=count)

    def _date(self, moment: datetime) -> str:
        return self._word("date", date=_day(moment))

    def _time(self, moment: datetime) -> str:
        return self._word("time", **_day_and_time(moment))


def is_stale(fact: Fact, now: datetime) -> bool:
    """Return whether a fact was not confirmed for half of its half-life. Events are never stale."""
    age = (now - fact.known_from) / timedelta(days=1)
    return fact.kind is not Kind.EVENT and age >= max(fact.kind.half_life / 2, 1.0)


def _piece(
    section: Section, source: Quotable, text: str, notes: Sequence[str], group: str = ""
) -> Piece:
    joined = ", ".join(("", *notes))
    return Piece(section=section, source=source, text=text, notes=joined, group=group)


def _day(moment: datetime) -> str:
    return moment.isoformat()[:10]


def _day_and_time(moment: datetime) -> dict[str, str]:
    written = moment.isoformat(timespec="minutes")
    return {"date": written[:10], "time": written[11:16]}
