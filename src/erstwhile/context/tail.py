"""Fill the tail: guarantees first, then one ranked stream of all that was found.

What the stream leaves goes to the history, to lessons and tasks, and at last to longer quotations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from erstwhile.context.budget import GUARANTEES, guarantee
from erstwhile.context.gathered import SECTIONS, Found, Gathered
from erstwhile.context.key_sentences import shorten
from erstwhile.context.model import Omission, Section
from erstwhile.context.pack import ContextPart
from erstwhile.context.piece import Piece
from erstwhile.context.pieces import PieceFactory
from erstwhile.context.quotes import LONGEST, Span, passage, question, widened
from erstwhile.context.sections import Sections, clashes, without_room
from erstwhile.conversations.conversation import Compaction, Conversation, Message
from erstwhile.core.kinds import TextKind
from erstwhile.facts.fact import Fact
from erstwhile.records.model import Lesson, Observation
from erstwhile.search.terms import query_terms

_STREAMED = (Section.FACTS, Section.CONVERSATIONS, Section.OBSERVATIONS)
_SMALLEST = 8
"""The tokens below which there is no room for another piece."""
_USUAL_TOKEN = 6
"""The characters of most tokens, at most: what is longer than the room is not even counted."""
_LONG = 600
"""The characters of a fact or observation that is quoted as a whole."""
_SUMMARIES = 8
"""One part in so many is kept for summaries where not all messages of the history fit."""
_LONGEST_SUMMARY = 300
"""The usual tokens of a summary, at most."""
_SHORTEST = 40
"""The fewest characters of a summary."""
_WIDER = (400, 1_600)
"""The characters that are added to the quotations, while there is room."""
_WORTH_WIDENING = 60
"""The tokens from which it is worth the time to look for longer quotations."""
_SAME = 0.8
"""The share of the words of a text in another that says the same."""


@dataclass(slots=True)
class TailFilling:
    """The filling of one tail."""

    part: ContextPart
    prefix: ContextPart
    found: Gathered
    make: PieceFactory
    stream: Sequence[Found]
    listed: Sections
    _done: set[str] = field(default_factory=set)
    """The ids of found records that are quoted or left out for good."""
    _learned: dict[str, list[str]] = field(default_factory=dict)
    """The texts of quoted facts by the messages that they were learned from."""
    _older: list[Message] = field(default_factory=list)
    """The messages of this conversation that are not there, the oldest first."""
    _reserve: int = 0
    """The tokens that are kept for summaries."""
    _against: dict[str, list[str]] = field(default_factory=dict)

    def fill(self) -> None:
        """Fill the part as far as there is something relevant."""
        self._against = clashes(self.found)
        self._older = [*self.found.history.messages] if self.found.history else []
        for piece in self.prefix.pieces:
            self._note_learned(piece.source)
        whole = self.part.room
        for section, percentage in GUARANTEES.items():
            self._fill_section(section, min(guarantee(whole, percentage), self.part.room))
        self._reserve = min(whole // _SUMMARIES, _LONGEST_SUMMARY) if self._older else 0
        self._put_stream()
        self._put_history(self.part.room - self._reserve)
        if self._reserve:
            self._put_summaries()
            self._reserve = 0
            self._put_stream()
        for section in (Section.LESSONS, Section.TASKS):
            self._put_listed(section, self.part.room)
        self._report()
        self._widen()

    def _fill_section(self, section: Section, room: int) -> None:
        """Fill a section up to its guarantee, with its best pieces."""
        if section is Section.HISTORY:
            self._put_history(room)
        elif section in _STREAMED:
            self._put_best(section, room)
        else:
            self._put_listed(section, room)

    def _put_stream(self) -> None:
        for each in self.stream:
            self._put_found(each)

    def _put_best(self, section: Section, room: int) -> None:
        for each in self.stream:
            if SECTIONS[each.kind] is section:
                before = self.part.room
                if not self._put_found(each, room):
                    return
                room -= before - self.part.room

    def _put_found(self, found: Found, room: int | None = None) -> bool:
        """Put what was found, or leave it out as a repeat; return False if it does not fit."""
        id = found.record.id
        if id in self._done:
            return True
        room = self.part.room - self._reserve if room is None else room
        if room < _SMALLEST or min(found.end - found.start, LONGEST) // _USUAL_TOKEN > room:
            return False
        if isinstance(found.record, Message):
            put = self._put_message(found.record, found, room)
        else:
            put = self._put_record(found, room)
        if put:
            self._done.add(id)
        return put

    def _put_record(self, found: Found, room: int) -> bool:
        if self.part.holding(found.record.id) is not None:
            return True
        piece = self._piece(found)
        if self.part.has(piece) or self._was_said(found.record):
            self.part.leave_out(piece, Omission.DUPLICATE)
            return True
        if self.part.put(piece, room) is None:
            return False
        self._note_learned(found.record)
        return True

    def _note_learned(self, record: object) -> None:
        if isinstance(record, Fact) and record.source:
            for message in record.source.messages:
                self._learned.setdefault(message, []).append(record.text)

    def _piece(self, found: Found) -> Piece:
        match found.record:
            case Fact() as fact:
                return self._fact(fact, _passage_of_long(fact.text, found))
            case Observation() as seen:
                return self.make.observation(seen, _passage_of_long(seen.searched, found))
            case Lesson() as lesson:
                return self.make.lesson(lesson)
            case Conversation() as conversation:
                return self.make.conversation_summary(conversation)
            case Message() as message:
                spans = passage(message.content, found.start, found.end)
                return self.make.passages(message, spans)

    def _fact(self, fact: Fact, spans: Sequence[Span]) -> Piece:
        return self.make.fact(Section.FACTS, fact, self._against.get(fact.id, ()), spans)

    def _put_message(self, message: Message, found: Found, room: int) -> bool:
        """Put a passage of a message, below the question that it answers."""
        there = self.part.holding(message.id)
        if there is not None:
            return self._join(there, message, found)
        piece = self._piece(found)
        if self.part.has(piece) or self._is_told(message, piece):
            self.part.leave_out(piece, Omission.DUPLICATE)
            return True
        cost = self.part.put(piece, room)
        if cost is None:
            return False
        self._complete(message, room - cost)
        return True

    def _join(self, there: Piece, message: Message, found: Found) -> bool:
        """Add another passage to a message that is quoted already, if it is not there whole."""
        if there.section is Section.CONVERSATIONS and there.spans:
            spans = [*there.spans, *passage(message.content, found.start, found.end)]
            joined = self.make.passages(message, spans)
            if joined.text != there.text:
                return self.part.swap(there, joined)
        return True

    def _complete(self, message: Message, room: int) -> None:
        """Put what completes a message: the question before an answer, and a summary."""
        before = self.found.questions.get(message.id)
        if before is not None and self.part.holding(before.id) is None:
            self.part.put(self.make.passages(before, [question(before.content)]), room)
        summarised = self.found.summarised.get(message.conversation)
        if summarised is not None and self.part.holding(summarised.id) is None:
            self.part.put(self.make.conversation_summary(summarised, message), room)

    def _was_said(self, record: object) -> bool:
        """Return whether a message that is there says what a fact learned from it says."""
        if not isinstance(record, Fact) or record.source is None:
            return False
        quoted = [self.part.holding(id) for id in record.source.messages]
        return any(piece and _repeats(record.text, piece.text) for piece in quoted)

    def _is_told(self, message: Message, piece: Piece) -> bool:
        """Return whether a fact that is there says all that a passage says."""
        return any(_repeats(piece.text, text) for text in self._learned.get(message.id, ()))

    def _put_history(self, room: int) -> None:
        """Put the last messages in a row: a conversation must not have a gap."""
        while self._older:
            piece = self.make.message(self._older[-1])
            quoted = self.part.holding(piece.id)
            if quoted is not None:
                self.part.remove(quoted)
            cost = self.part.put(piece, room)
            if cost is None:
                if quoted is not None:
                    self.part.put(quoted)
                return
            room -= cost
            self._older.pop()

    def _put_summaries(self) -> None:
        """Put the summaries of messages that are not there, the newest first, cut if need be."""
        if self.found.history is None or not self._older:
            return
        history, shown = self.found.history, {piece.id for piece in self.part.pieces}
        needed = [each for each in reversed(history.compactions) if history.needs(each, shown)]
        for at, each in enumerate(needed):
            self._put_summary(each, self.part.room // (len(needed) - at))

    def _put_summary(self, summary: Compaction, room: int) -> None:
        """Put a summary, or as much of its beginning as fits."""
        length = len(summary.summary)
        least = min(length, _SHORTEST)
        while length >= least:
            text = shorten(summary.summary, length)
            piece = self.make.compaction(replace(summary, summary=text))
            if self.part.put(piece, room) is not None:
                return
            length = length * 2 // 3

    def _put_listed(self, section: Section, room: int) -> None:
        """Put what the query has no influence on."""
        for piece in self.listed.get(section, ()):
            if room >= _SMALLEST and not self.part.has(piece):
                room -= self.part.put(piece, room) or 0

    def _report(self) -> None:
        """Report what was found and does not fit."""
        streamed = {each.record.id for each in self.stream}
        for each in self.stream:
            if each.record.id not in self._done:
                self.part.left_out.append(without_room(each))
        for pieces in self.listed.values():
            for piece in pieces:
                if piece.id not in streamed and self.part.holding(piece.id) is None:
                    self.part.leave_out(piece, Omission.BUDGET)
        for message in reversed(self._older):
            if self.part.holding(message.id) is None:
                left = Found(message, 0, len(message.content), TextKind.MESSAGES)
                self.part.left_out.append(replace(without_room(left), section=Section.HISTORY))

    def _widen(self) -> None:
        """Quote more around the passages, the best first, while there is room."""
        for characters in _WIDER:
            for piece in self.part.pieces:
                if self.part.room < _WORTH_WIDENING:
                    return
                if piece.spans:
                    self._widen_one(piece, characters)

    def _widen_one(self, piece: Piece, characters: int) -> None:
        match piece.source:
            case Message() as message:
                spans = widened(message.content, piece.spans, characters)
                wider = self.make.passages(message, spans)
            case Fact() as fact:
                wider = self._fact(fact, widened(fact.text, piece.spans, characters))
            case Observation() as seen:
                spans = widened(seen.searched, piece.spans, characters)
                wider = self.make.observation(seen, spans)
            case _:
                return
        if wider.text != piece.text:
            self.part.swap(piece, wider)


def _passage_of_long(text: str, found: Found) -> list[Span]:
    """Return the passage of a long text; nothing for one that is quoted as a whole."""
    return passage(text, found.start, found.end) if len(text) > _LONG else []


def _repeats(text: str, other: str) -> bool:
    """Return whether nearly all words of a text are in another."""
    said = set(query_terms(text))
    return bool(said) and len(said.intersection(query_terms(other))) >= _SAME * len(said)
