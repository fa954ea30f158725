"""Pack pieces into a part of the text so that the text stays within its budget.

Each piece and each heading is counted once, and the counts are added up. A tokenizer may count more
for the whole text than for its pieces. So the whole text is counted at the end, from the same
parts, and the last pieces are removed until it fits.
"""

from __future__ import annotations

from collections.abc import Iterable

from erstwhile.context.counting import Count
from erstwhile.context.layout import Layout, reading_order
from erstwhile.context.model import ContextItem, LeftOut, Omission, Section
from erstwhile.context.piece import Piece
from erstwhile.context.wording import Frame, Wording

LONGEST_TOKEN = 16
"""The characters of a token, at most. A text that is too long by this measure is not counted."""


class ContextPart:
    """The prefix or the tail while it is filled. `before` is the text in front of it."""

    def __init__(self, wording: Wording, count: Count, limit: int, before: str = "") -> None:
        self._layout = Layout(wording, before)
        self._wording = wording
        self._count = count
        self._before = before
        self._limit = limit
        self._inside: dict[Piece, int] = {}
        self._by_id: dict[str, Piece] = {}
        self._frames: dict[tuple[str, ...], int] = {}
        self._hints: dict[Section, str] = {}
        self._seen: set[str] = set()
        self._elsewhere: frozenset[str] = frozenset()
        self.left_out: list[LeftOut] = []
        self.marks = self._cost(self._layout.marks)
        self.room = limit - count(before) - self.marks

    def add_hint(self, section: Section, text: str) -> None:
        """Add a hint after the memory, if it fits."""
        hint = self._wording.hint(section, text)
        cost = self._count(hint)
        if cost <= self.room + self.marks:
            self._hints[section], self._frames[(section,)] = hint, cost
            self.room -= cost

    def put(self, piece: Piece, room: int | None = None) -> int | None:
        """Add a piece and its headings; return their tokens, or None if they do not fit."""
        room = self.room if room is None else min(room, self.room)
        if len(piece.text) > room * LONGEST_TOKEN:
            return None
        lines, frames = self._count(piece.lines), self._new_frames(piece)
        cost = lines + sum(frames.values())
        if cost > room:
            return None
        self._frames |= frames
        self._inside[piece] = lines
        self._by_id[piece.id] = piece
        self._seen.update(piece.marks)
        self.room -= cost
        return cost

    def swap(self, old: Piece, new: Piece) -> bool:
        """Put a longer piece in the place of one with the same headings, if it fits."""
        if len(new.text) > (self.room + len(old.text)) * LONGEST_TOKEN:
            return False
        more = self._count(new.lines) - self._inside[old]
        if more > self.room:
            return False
        self._inside[new] = self._inside.pop(old) + more
        self._by_id[new.id] = new
        self._seen.update(new.marks)
        self.room -= more
        return True

    def remove(self, piece: Piece) -> None:
        """Remove a piece; its headings stay counted."""
        self.room += self._inside.pop(piece)
        self._by_id.pop(piece.id, None)

    def see(self, marks: Iterable[str]) -> None:
        """Take note of the marks of records that are elsewhere in the text."""
        self._elsewhere |= frozenset(marks)
        self._seen.update(self._elsewhere)

    @property
    def seen(self) -> frozenset[str]:
        """The marks by which a repeat of these pieces is recognised."""
        return self._elsewhere.union(*(piece.marks for piece in self._inside))

    def holding(self, id: str) -> Piece | None:
        """Return the piece of a record."""
        return self._by_id.get(id)

    def has(self, piece: Piece) -> bool:
        """Return whether a piece repeats one that is there."""
        return not self._seen.isdisjoint(piece.marks)

    def leave_out(self, piece: Piece, reason: Omission) -> None:
        """Report a piece that is not there."""
        self.left_out.append(
            LeftOut(section=piece.section, id=piece.id, text=piece.text, reason=reason)
        )

    def final_text(self) -> str:
        """Return the text; remove the last pieces until it is within the limit."""
        while (text := self._text()) and self._count(self._before + text) > self._limit:
            if self._inside:
                piece, _ = self._inside.popitem()
                self.leave_out(piece, Omission.BUDGET)
            else:
                self._hints.popitem()
        return text

    def text_without(self, section: Section) -> str:
        """Return the text without a section."""
        return self._text(without=section)

    @property
    def items(self) -> list[ContextItem]:
        """The items in the order of the text."""
        return [
            ContextItem(
                section=piece.section,
                citation=piece.citation,
                id=piece.id,
                text=piece.text,
                tokens=self._inside[piece],
                source=piece.source,
            )
            for piece in reading_order(self._inside)
        ]

    @property
    def sections(self) -> dict[Section, int]:
        """The tokens of each section in the text, with its headings."""
        there = {piece.section for piece in self._inside}.union(self._hints)
        spent = dict.fromkeys((section for section in Section if section in there), 0)
        for (name, *_), cost in self._frames.items():
            if name in there:
                spent[Section(name)] += cost
        for piece, cost in self._inside.items():
            spent[piece.section] += cost
        return spent

    @property
    def pieces(self) -> list[Piece]:
        """The pieces, in the order in which they were put."""
        return [*self._inside]

    def _text(self, without: Section | None = None) -> str:
        shown: Iterable[Piece] = self._inside
        if without is not None:
            shown = [piece for piece in shown if piece.section is not without]
        return self._layout.text(reading_order(shown)) + "".join(self._hints.values())

    def _new_frames(self, piece: Piece) -> dict[tuple[str, ...], int]:
        """Return the tokens of the headings that a piece needs and that are missing."""
        name = (piece.section, piece.group) if piece.heading else (piece.section,)
        if name in self._frames:
            return {}
        frames = self._layout.frames(piece)
        return {name: self._cost(frame) for name, frame in frames if name not in self._frames}

    def _cost(self, frame: Frame) -> int:
        return self._count(frame.opening) + self._count(frame.closing)
