"""Items of a context: records as quoted lines, each with a citation and notes.

In the prefix a note never depends on the clock, so that the prefix stays equal: a fact shows the
day of its last confirmation. In the tail a stale fact shows its age.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from erstwhile.blocks.block import Block, is_archived
from erstwhile.context.escaping import quoted
from erstwhile.context.model import PREFIX, Quotable, Section
from erstwhile.context.quotes import Span, passage, quote
from erstwhile.context.wording import Wording
from erstwhile.conversations.conversation import Compaction, Conversation, Message
from erstwhile.core.fork_safety import cached_property
from erstwhile.core.kinds import Kind
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact, value_line
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.tasks.task import Task, TaskStatus

_SHORT, _STEP = 3, 3
"""Digits of a citation, and further digits after a collision: three digits are one token."""
_ALL = 18


class Citations:
    """The citations of one context."""

    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._taken: set[str] = set()

    def reserve(self, ids: Iterable[str]) -> None:
        """Assign citations to records, the oldest first: a new record changes no other citation."""
        for id in sorted(ids):
            self.of(id)

    def of(self, id: str) -> str:
        """Return the citation of a record."""
        if id not in self._by_id:
            number = int.from_bytes(blake2b(id.encode(), digest_size=8).digest())
            # The first digit is not zero, as in other numbers.
            digits = f"{1 + number % 9}{number // 9 % 10 ** (_ALL - 1):0{_ALL - 1}d}"
            shortened = (digits[:length] for length in range(_SHORT, _ALL, _STEP))
            self._by_id[id] = next((each for each in shortened if each not in self._taken), digits)
            self._taken.add(self._by_id[id])
        return self._by_id[id]


@dataclass(frozen=True, kw_only=True, eq=False)
class Piece:
    """A record that may go into a context."""

    section: Section
    source: Quotable
    text: str
    mark: str
    """What the brackets before it say: its citation and notes."""
    citation: str
    heading: str = ""
    """The line above it inside of its section, such as its day."""
    group: str = ""
    """Tells groups with the same heading apart, such as two conversations of one day."""
    place: tuple[Any, ...] = ()
    """Sorts the pieces of a section in reading order; without it they stay as they were found."""
    spans: tuple[Span, ...] = ()
    """The passages that the text quotes, if it does not quote the whole."""

    @cached_property
    def lines(self) -> str:
        """Return the quoted lines. They are computed on first use: most pieces are never quoted."""
        return quoted(self.mark, self.text)

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.source.id

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """Return the marks of a repeat. In the history an equal text is no repeat."""
        own = (isinstance(self.source, Message) and self.source.copy_of) or self.id
        if self.section is Section.HISTORY:
            return (own,)
        return own, folded(self.text)


NO_TOPICS: Mapping[str, str] = MappingProxyType({})
DOUBTFUL = 0.7
"""A lower confidence is shown in the notes. Learned facts have this confidence by default."""
_SCORES = {1: "good", 0: "neutral", -1: "bad"}


class PieceFactory:
    """Creates pieces with one wording, for one moment."""

    def __init__(
        self,
        wording: Wording,
        now: datetime,
        topics: Mapping[str, str] = NO_TOPICS,
        *,
        today: bool = True,
    ) -> None:
        """Create pieces at a moment; `topics` has those of conversations, by id.

        Without `today` the moment is another day, of which a reader cannot know.
        """
        self._word = wording.word
        self._now = now
        self._today = _day(now) if today else ""
        self._topics = topics
        self.citations = Citations()
        self._cite = self.citations.of

    def fact(
        self,
        section: Section,
        fact: Fact,
        against: Sequence[str] = (),
        spans: Sequence[Span] = (),
    ) -> Piece:
        """Create the piece of a fact, or of passages of a long one.

        `against` has the ids of facts that it may contradict.
        """
        stable = section in PREFIX
        notes = [*self._doubts(fact, against, stable=stable)]
        text = fact.text if is_archived(fact) else value_line(fact)
        made = self._piece(section, fact, text, notes, whole=fact.text, spans=spans)
        if stable:
            return made
        # The day matters of an event, a state, and a fact that began on another day.
        is_later = _day(fact.valid_from) != _day(fact.recorded_at)
        matters = is_later or fact.kind in (Kind.EVENT, Kind.STATE)
        return self._dated(made, fact.valid_from, matters=matters)

    def prefix_fact(self, section: Section, fact: Fact, against: Sequence[str]) -> Piece:
        """Create the piece of a fact in the prefix; a standing instruction shows its source."""
        if section is not Section.INSTRUCTIONS:
            return self.fact(section, fact, against)
        said = self._word(f"from_{fact.origin}", date=_day(fact.valid_from))
        notes = [said, *self._doubts(fact, against, stable=True)]
        return self._piece(section, fact, fact.text, notes)

    def block(self, block: Block, left_out: int = 0) -> Piece:
        """Create the piece of a block, with notes of left out tokens and of archived text."""
        notes = [self._word("cut", count=f"{left_out:,}")] if left_out else []
        if block.archived:
            notes.append(self._word("archived", count=f"{block.archived:,}"))
        gap = "\n" if "\n" in block.content else " "
        return self._piece(Section.BLOCKS, block, f"{block.name}:{gap}{block.content}", notes)

    def lesson(self, lesson: Lesson) -> Piece:
        """Create the piece of a lesson."""
        count = lesson.occurrences
        notes = [self._word("times", count=count)] if count > 1 else []
        return self._piece(Section.LESSONS, lesson, f"{lesson.domain}: {lesson.rule}", notes)

    def outcome(self, outcome: Outcome) -> Piece:
        """Create the piece of an outcome."""
        text = outcome.domain if outcome.note is None else f"{outcome.domain}: {outcome.note}"
        made = self._piece(Section.OUTCOMES, outcome, text, [self._word(_SCORES[outcome.score])])
        return self._dated(made, outcome.created_at)

    def observation(self, seen: Observation, spans: Sequence[Span] = ()) -> Piece:
        """Create the piece of an observation, or of passages of a long one."""
        parts = (seen.title, seen.what, seen.why, seen.where, seen.learned)
        text, whole = "\n".join(part for part in parts if part), seen.searched
        made = self._piece(Section.OBSERVATIONS, seen, text, [seen.type], whole=whole, spans=spans)
        return self._dated(made, seen.created_at)

    def task(self, task: Task) -> Piece:
        """Create the piece of a task."""
        due = task.due_at.isoformat(timespec="minutes")
        notes = [self._word("due", date=due[:10], time=due[11:16]), task.type]
        if task.due_at <= self._now:
            notes.append(self._word("overdue"))
        if task.recurrence is not None:
            notes.append(self._word("recurring"))
        if task.status is TaskStatus.CLAIMED:
            notes.append(self._word("claimed"))
        return self._piece(Section.TASKS, task, task.description, notes)

    def passages(self, message: Message, spans: Sequence[Span]) -> Piece:
        """Create the piece of passages of a message."""
        day = _day(message.said_at)
        return self._piece(
            Section.CONVERSATIONS,
            message,
            message.content,
            label=self._word(message.role),
            heading=self._session(day, message.conversation),
            group=message.conversation,
            place=(day, message.conversation, message.position),
            whole=message.content,
            spans=spans,
        )

    def conversation_summary(
        self, conversation: Conversation, beside: Message | None = None
    ) -> Piece:
        """Create the piece of the summary of another conversation, above one of its messages."""
        moment = conversation.active_at if beside is None else beside.said_at
        day, summary = _day(moment), conversation.summary or ""
        return self._piece(
            Section.CONVERSATIONS,
            conversation,
            summary,
            whole=summary,
            spans=passage(summary, 0, len(summary)),
            label=self._word("summary"),
            heading=self._session(day, conversation.id),
            group=conversation.id,
            place=(day, conversation.id, 0),
        )

    def message(self, message: Message) -> Piece:
        """Create the piece of a message of the current conversation."""
        day, label = _day(message.said_at), self._word(message.role)
        return self._piece(
            Section.HISTORY,
            message,
            message.content,
            label=label,
            heading="" if day == self._today else self._word("date", date=day),
            place=(message.position,),
        )

    def compaction(self, summed: Compaction) -> Piece:
        """Create the piece of a summary of earlier messages."""
        text, label = summed.summary, self._word("tool_summary" if summed.of_tools else "summary")
        return self._piece(Section.HISTORY, summed, text, label=label, place=(0, summed.first))

    def _piece(
        self,
        section: Section,
        source: Quotable,
        text: str,
        notes: Sequence[str] = (),
        *,
        label: str = "",
        whole: str = "",
        spans: Sequence[Span] = (),
        **layout: Any,
    ) -> Piece:
        """Create a piece; `spans` are passages of the text `whole` to quote instead of `text`."""
        citation = self._cite(source.id)
        mark = ", ".join((f"{citation} {label}" if label else citation, *notes))
        return Piece(
            section=section,
            source=source,
            text=quote(whole, spans) if spans else text,
            mark=mark,
            citation=citation,
            spans=tuple(spans),
            **layout,
        )

    def _dated(self, piece: Piece, moment: datetime, *, matters: bool = True) -> Piece:
        """Put a piece below its day, in the order of time; today needs no heading."""
        day = _day(moment)
        if not matters or day == self._today:
            day = ""
        heading = self._word("date", date=day) if day else ""
        return replace(piece, heading=heading, place=(day, moment, piece.id))

    def _session(self, day: str, conversation: str) -> str:
        """Return the line above what was said in a conversation on a day."""
        topic = self._topics.get(conversation)
        return (
            self._word("session", date=day, topic=topic) if topic else self._word("date", date=day)
        )

    def _doubts(self, fact: Fact, against: Sequence[str], *, stable: bool) -> Iterator[str]:
        """Yield notes on age, confidence and conflicts; if `stable`, none depends on the clock."""
        if not stable and fact.ends_at is not None and fact.ends_at <= self._now:
            yield self._word("ended", date=_day(fact.ends_at))
        if not stable and _day(fact.valid_from) > _day(self._now):
            yield self._word("begins", date=_day(fact.valid_from))
        if against:  # the later one of two on the same day is known by its time
            yield self._word("since", date=f"{fact.valid_from:%Y-%m-%d %H:%M}")
        elif stable and fact.kind is Kind.STATE:
            yield self._word("since", date=_day(fact.valid_from))
        if stable and _day(fact.known_from) != _day(fact.valid_from):
            yield self._word("confirmed", date=_day(fact.known_from))
        # Stale is what was not confirmed for half of its half-life. Events are never stale.
        age, lasting = self._now - fact.known_from, max(fact.kind.half_life / 2, 1.0)
        if not stable and fact.kind is not Kind.EVENT and age >= timedelta(days=lasting):
            yield self._word("stale", age=self._age(age))
        if fact.confidence < DOUBTFUL:
            yield self._word("confidence", share=f"{fact.confidence:.2f}")
        for id in against:
            yield self._word("disputed", id=self._cite(id))

    def _age(self, age: timedelta) -> str:
        units = (("year", 365), ("month", 30), ("day", 1))
        unit, days = next((each for each in units if age.days >= each[1]), units[-1])
        count = age.days // days
        return self._word(unit) if count == 1 else self._word(f"{unit}s", count=count)


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
