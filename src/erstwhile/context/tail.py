"""Fill the tail: the shares of the sections first, then all that was found, best first.

The rest goes to the history, to lessons and tasks, and at last to longer quotations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, islice
from typing import TYPE_CHECKING

from erstwhile.context.breadth import broad, most_in_full
from erstwhile.context.budget import GUARANTEES, ContextPart, guarantee
from erstwhile.context.history import History, shorten
from erstwhile.context.model import (
    SECTIONS,
    ContextRequest,
    LeftOut,
    Omission,
    Quotable,
    Section,
)
from erstwhile.context.pieces import Piece, PieceFactory
from erstwhile.context.prefix import in_order
from erstwhile.context.quotes import MAX_LENGTH, Span, line, passage, question, widened
from erstwhile.conversations.conversation import Conversation, Message, Role
from erstwhile.facts.fact import Fact
from erstwhile.recall.hits import Hit, Passage, Recalled
from erstwhile.recall.query import others_weight
from erstwhile.records.model import Lesson, Observation
from erstwhile.search.terms import query_terms

if TYPE_CHECKING:
    from erstwhile.context.gather import Gathered

_SPOKEN = (Role.USER, Role.ASSISTANT)
"""Other conversations contribute no results of tools, because tools are not trusted."""
_RANKED_SECTIONS = (Section.FACTS, Section.CONVERSATIONS, Section.OBSERVATIONS)
_MIN_ROOM = 8
"""The tokens below which there is no room for another piece."""
_USUAL_TOKEN = 6
"""The characters of most tokens, at most: what is longer than the room is not even counted."""
_LONG = 600
"""The characters of a fact or observation that is quoted as a whole."""
_SUMMARIES = 8
"""One part in so many is kept for summaries where not all messages of the history fit."""
_MAX_SUMMARY = 300
"""The usual tokens of a summary, at most."""
_MIN_SUMMARY = 40
"""The fewest characters of a summary."""
_WIDER = (400, 1_600)
"""The characters that are added to the quotations, while there is room."""
_WIDER_ANSWER = 2_000
"""The characters that are added to an answer of the assistant that is asked for: its items and
figures count, not its beginning."""
_MAX_ANSWERS = 2
_WORTH_WIDENING = 60
"""The tokens from which it is worth the time to look for longer quotations."""
_SAME = 0.8
"""The share of the words of a text in another that says the same."""


class TailFilling:
    """Fills a tail: a guaranteed share of each section first, then all that fits, best first."""

    def __init__(
        self,
        part: ContextPart,
        prefix: ContextPart,
        found: Gathered,
        make: PieceFactory,
        request: ContextRequest,
    ) -> None:
        self._part = part
        self._found = found
        self._make = make
        quotable = _quotable(found, request.needs)
        self._ranked = broad(quotable, request.query, found.findings.trace)
        messages = (hit.record.id for hit in self._ranked if isinstance(hit.record, Message))
        self._in_full = frozenset(islice(messages, most_in_full(request.query)))
        """The ids of the messages that are quoted in passages; of the others one line is."""
        listed = {
            Section.LESSONS: map(make.lesson, found.lessons),
            Section.OUTCOMES: map(make.outcome, found.outcomes),
            Section.TASKS: map(make.task, found.tasks),
        }
        self._listed = {name: in_order(name, [*pieces]) for name, pieces in listed.items()}
        self._asks_for_answers = others_weight(request.query) == 1.0
        self._against = found.contradictions()
        self._done: set[str] = set()
        """The ids of found records that are quoted or left out for good."""
        self._learned: dict[str, list[Fact]] = {}
        """The facts that were learned from each message."""
        quoted = [piece.source for piece in prefix.pieces]
        self._in_prefix = {record.id for record in quoted}
        for record in (*quoted, *(hit.record for hit in self._ranked)):
            if isinstance(record, Fact) and record.source:
                for message in record.source.messages:
                    self._learned.setdefault(message, []).append(record)

    def fill(self) -> None:
        """Fill the part as far as there is something relevant."""
        part, history, whole = self._part, self._found.history, self._part.room
        older = [*history.messages] if history else []
        for section, percentage in GUARANTEES.items():
            room = min(guarantee(whole, percentage), part.room)
            if section is Section.HISTORY:
                _put_messages(part, older, self._make, room)
            elif section in _RANKED_SECTIONS:
                self._put_ranked(room, section)
            else:
                self._put_listed(section, room)
        if self._asks_for_answers:
            self._widen(self._put_answers(), _WIDER_ANSWER)
        reserve = min(whole // _SUMMARIES, _MAX_SUMMARY) if older else 0
        self._put_ranked(part.room - reserve)
        _put_messages(part, older, self._make, part.room - reserve)
        if history and older:
            _put_summaries(part, history, self._make)
        if reserve:
            self._put_ranked(part.room)
        for section in (Section.LESSONS, Section.TASKS):
            self._put_listed(section, part.room)
        self._report(older)
        for characters in _WIDER:
            self._widen(self._part.pieces, characters)

    def _put_ranked(self, room: int, section: Section | None = None) -> None:
        """Put all that was found and fits; of one section, the best until one does not fit."""
        for hit in self._ranked:
            if room < _MIN_ROOM:
                return
            if section is None or SECTIONS[hit.kind] is section:
                before = self._part.room
                if not self._put(hit, room) and section is not None:
                    return
                room -= before - self._part.room

    def _put(self, hit: Hit, room: int) -> bool:
        """Put what was found, or leave it out as a repeat; return False if it does not fit."""
        record, (start, end, _) = hit.record, hit.passage
        if record.id in self._done:
            return True
        if min(end - start, MAX_LENGTH) // _USUAL_TOKEN > room:
            return False
        # A short record is quoted whole.
        is_whole = isinstance(record, Fact | Observation) and len(record.searched) <= _LONG
        spans = [] if is_whole else self._spans(hit)
        there = self._part.holding(record.id)
        if there is not None:
            is_put = self._add_passage(there, spans)
        else:
            piece = self._piece(record, spans)
            if repeats := self._part.has(piece) or self._says_the_same(record, piece):
                self._part.leave_out(piece, Omission.DUPLICATE)
            cost = 0 if repeats else self._part.put(piece, room)
            is_put = cost is not None
            if cost and isinstance(record, Message):
                self._complete(record, room - cost)
        if is_put:
            self._done.add(record.id)
        return is_put

    def _spans(self, hit: Hit) -> Sequence[Span]:
        """Return the passage of a hit, of most messages only the line that matches."""
        record, (start, end, _) = hit.record, hit.passage
        if isinstance(record, Message) and record.id not in self._in_full:
            return [line(record.searched, start, end, hit.why.terms)]
        return passage(record.searched, start, end)

    def _add_passage(self, there: Piece, spans: Sequence[Span]) -> bool:
        """Add another passage to a message that is quoted already, if it is not there whole."""
        if there.section is Section.CONVERSATIONS and isinstance(there.source, Message):
            joined = self._make.passages(there.source, [*there.spans, *spans])
            if there.spans and joined.text != there.text:
                return self._part.swap(there, joined)
        return True

    def _piece(self, record: Quotable, spans: Sequence[Span]) -> Piece:
        match record:
            case Fact():
                against = self._against.get(record.id, ())
                return self._make.fact(Section.FACTS, record, against, spans)
            case Observation():
                return self._make.observation(record, spans)
            case Lesson():
                return self._make.lesson(record)
            case Conversation():
                return self._make.conversation_summary(record)
            case Message():
                return self._make.passages(record, spans)
        raise TypeError(f"recall finds no {type(record).__name__}")

    def _complete(self, message: Message, room: int) -> None:
        """Put the question before a short answer, and the summary of its conversation."""
        before = self._found.questions.get(message.id)
        if before is not None and self._part.holding(before.id) is None:
            self._part.put(self._make.passages(before, [question(before.content)]), room)
        summarised = self._found.summarised.get(message.conversation)
        if summarised is not None and self._part.holding(summarised.id) is None:
            self._part.put(self._make.conversation_summary(summarised, message), room)

    def _says_the_same(self, record: Quotable, piece: Piece) -> bool:
        """Return whether a fact repeats a quoted message, or a passage a fact learned from it."""
        holding = self._part.holding
        if isinstance(record, Message):
            return any(
                _repeats(piece.text, fact.text)
                for fact in self._learned.get(record.id, ())
                if fact.id in self._in_prefix or holding(fact.id)
            )
        if not isinstance(record, Fact) or record.source is None:
            return False
        quoted = map(holding, record.source.messages)
        return any(each and _repeats(record.text, each.text) for each in quoted)

    def _put_listed(self, section: Section, room: int) -> None:
        for piece in self._listed.get(section, ()):
            if room >= _MIN_ROOM and not self._part.has(piece):
                room -= self._part.put(piece, room) or 0

    def _report(self, older: Sequence[Message]) -> None:
        part, ranked = self._part, {hit.record.id for hit in self._ranked}
        for hit in self._ranked:
            if hit.record.id not in self._done:
                part.left_out.append(_without_room(SECTIONS[hit.kind], hit.record, hit.passage))
        for piece in chain.from_iterable(self._listed.values()):
            if piece.id not in ranked and part.holding(piece.id) is None:
                part.leave_out(piece, Omission.BUDGET)
        for message in reversed(older):
            if part.holding(message.id) is None:
                whole = Passage(0, len(message.content), message.content)
                part.left_out.append(_without_room(Section.HISTORY, message, whole))

    def _put_answers(self) -> list[Piece]:
        """Put the best answers of the assistant, which the question asks for."""
        best: dict[str, Hit] = {}
        for hit in self._best_answers():
            best[hit.record.id] = hit
            if len(best) == _MAX_ANSWERS:
                break
        put = (id for id, hit in best.items() if self._put(hit, self._part.room))
        return [*filter(None, map(self._part.holding, put))]

    def _best_answers(self) -> Iterator[Hit]:
        """Yield the best answers; if the user's words match better, those to these words."""
        said = [hit for hit in self._ranked if isinstance(hit.record, Message)]
        for hit in said:
            later = (each for each in said if _answers(each.message, hit.message))
            yield from nsmallest(1, later, key=lambda each: each.message.position)

    def _widen(self, pieces: Sequence[Piece], characters: int) -> None:
        """Quote more around the passages, the best first, while there is room."""
        for piece in pieces:
            if self._part.room < _WORTH_WIDENING:
                return
            if piece.spans and isinstance(piece.source, Message | Fact | Observation):
                spans = widened(piece.source.searched, piece.spans, characters)
                wider = self._piece(piece.source, spans)
                if wider.text != piece.text:
                    self._part.swap(piece, wider)


def _answers(answer: Message, message: Message) -> bool:
    """Return whether the assistant said something in answer to a message, or the message itself."""
    is_later = answer.position >= message.position
    is_there = answer.conversation == message.conversation
    return answer.role is Role.ASSISTANT and is_there and is_later


def _put_messages(part: ContextPart, older: list[Message], make: PieceFactory, room: int) -> None:
    """Move the last messages into a part, in a row: a conversation must not have a gap."""
    while older:
        piece = make.message(older[-1])
        quoted = part.holding(piece.id)
        if quoted is not None:
            part.remove(quoted)
        cost = part.put(piece, room)
        if cost is None:
            if quoted is not None:
                part.put(quoted)
            return
        room -= cost
        older.pop()


def _put_summaries(part: ContextPart, history: History, make: PieceFactory) -> None:
    """Put the summaries of messages that are not there, the newest first, cut if need be."""
    shown = {piece.id for piece in part.pieces}
    needed = [each for each in reversed(history.compactions) if history.needs(each, shown)]
    for at, each in enumerate(needed):
        room, length = part.room // (len(needed) - at), len(each.summary)
        while length >= min(len(each.summary), _MIN_SUMMARY):
            cut = replace(each, summary=shorten(each.summary, length))
            if part.put(make.compaction(cut), room) is not None:
                break
            length = length * 2 // 3


def _repeats(text: str, other: str) -> bool:
    """Return whether nearly all words of a text are in another."""
    said = set(query_terms(text))
    return bool(said) and len(said.intersection(query_terms(other))) >= _SAME * len(said)


def _quotable(found: Gathered, needs: Collection[Section]) -> list[Hit]:
    """Return what was found and may be quoted, best first.

    A caller who leaves out the history has the messages of the current conversation already.
    """
    own = found.current.id if found.current and Section.HISTORY not in needs else None
    quotable = list[Hit]()
    for hit in found.findings:
        match hit.record:
            case Fact() as fact:
                fits = not found.is_overridden(fact)
            case Message() as message:
                fits = message.role in _SPOKEN and message.conversation != own
            case _:
                fits = True
        if fits and SECTIONS[hit.kind] in needs:
            quotable.append(hit)
    return quotable


def _without_room(section: Section, record: Recalled, found: Passage) -> LeftOut:
    """Report a record that does not fit, without the cost of making a piece of it."""
    match record:
        case Fact():
            text = record.text
        case Message():
            text = found.text
        case Observation():
            text = record.title
        case Lesson():
            text = f"{record.domain}: {record.rule}"
        case Conversation():
            text = record.summary or ""
    return LeftOut(section=section, id=record.id, text=text, reason=Omission.BUDGET)
