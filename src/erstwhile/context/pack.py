"""Packing: which pieces go into a part of the text, so that the text keeps to its budget.

The costs of pieces and of what stands round them are added up while a part is filled. What counts
in the end is the whole text: tokenizers may see more in it than in its pieces, and then the last
that went in go out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from erstwhile.context.budget import SHARES, allowance
from erstwhile.context.counting import Count
from erstwhile.context.model import ContextItem, LeftOut, Omission, Section
from erstwhile.context.pieces import Piece
from erstwhile.context.render import ORDER, Rendering, in_order
from erstwhile.context.wording import Frame, Wording

MARKS = "marks"
LONGEST_TOKEN = 128
"""Characters. A text so many times longer than its room is not worth counting."""


class Part:
    """The prefix or the tail, as it fills. `before` is the text that it follows."""

    def __init__(self, wording: Wording, count: Count, limit: int, before: str = "") -> None:
        self._rendering = Rendering(wording, before)
        self._wording = wording
        self._count = count
        self._before = before
        self._limit = limit
        self._room = limit - count(before)
        self._found: Mapping[Section, Sequence[Piece]] = {}
        self._inside: dict[Piece, int] = {}
        self._frames: dict[str, int] = {}
        self._hints: dict[Section, str] = {}
        self._laid_out: list[Piece] = []
        self.left_out: list[LeftOut] = []

    def advise(self, section: Section, text: str) -> None:
        """Say something of ours after the memory, if there is room."""
        hint = self._wording.hint(section, text)
        cost = self._count(hint)
        if cost <= self._room:
            self._hints[section], self._frames[section] = hint, cost
            self._room -= cost

    def fill(self, found: Mapping[Section, Sequence[Piece]], before: Iterable[str] = ()) -> None:
        """Each section up to its share, the largest first; what is left to whoever can use it.

        `before` are the marks of what the text holds already.
        """
        self._found, seen = found, set(before)
        self._frames[MARKS] = self._cost(self._rendering.marks)
        self._room -= self._frames[MARKS]
        ahead = sorted(filter(found.get, ORDER), key=SHARES.__getitem__, reverse=True)
        waiting: list[Piece] = []
        while ahead:
            room = allowance(self._room, ahead[0], ahead)
            waiting += self._admit(found[ahead.pop(0)], room, seen)
        for _, pieces in groupby(waiting, lambda piece: piece.section):
            for piece in self._admit([*pieces], self._room, seen):
                self._leave_out(piece, Omission.BUDGET)

    def settled(self) -> str:
        """The text, once it keeps to its limit."""
        while (text := self._text()) and self._count(self._before + text) > self._limit:
            if self._inside:
                piece, _ = self._inside.popitem()
                self._leave_out(piece, Omission.BUDGET)
            else:
                self._hints.popitem()
        return text

    @property
    def marks(self) -> set[str]:
        """By which what stands here is known, should it come again."""
        return {mark for piece in self._inside for mark in piece.marks}

    @property
    def items(self) -> list[ContextItem]:
        """In the order of the text, once that is settled."""
        return [
            ContextItem(
                section=piece.section,
                id=piece.id,
                text=piece.text,
                tokens=self._inside[piece],
                source=piece.source,
            )
            for piece in self._laid_out
        ]

    @property
    def sections(self) -> dict[Section, int]:
        """The tokens of each section that is there, with its headings."""
        there = {piece.section for piece in self._inside}.union(self._hints)
        spent = dict.fromkeys((section for section in Section if section in there), 0)
        for name, cost in self._frames.items():
            section = name.partition("/")[0]
            if section in there:
                spent[Section(section)] += cost
        for piece, cost in self._inside.items():
            spent[piece.section] += cost
        return spent

    def _text(self) -> str:
        self._laid_out = [*self._in_order()]
        return self._rendering.text(self._laid_out) + "".join(self._hints.values())

    def _in_order(self) -> Iterator[Piece]:
        for section in ORDER:
            inside = [each for each in self._found.get(section, ()) if each in self._inside]
            if inside:
                yield from in_order(section, inside)

    def _admit(self, pieces: Sequence[Piece], room: int, seen: set[str]) -> list[Piece]:
        """Those that fit go in; those that do not are given back: there may be room later."""
        waiting: list[Piece] = []
        for at, piece in enumerate(pieces):
            marks = piece.marks
            if not seen.isdisjoint(marks):
                self._leave_out(piece, Omission.DUPLICATE)
                continue
            cost = self._put(piece, room)
            if cost is not None:
                seen.update(marks)
                room -= cost
            elif piece.section is Section.HISTORY:
                return [*pieces[at:]]  # a gap would make another conversation of it
            else:
                waiting.append(piece)
        return waiting

    def _put(self, piece: Piece, room: int) -> int | None:
        """Put a piece in with the headings that it needs, if they fit; what it took."""
        if len(piece.text) > room * LONGEST_TOKEN:
            return None
        lines, frames = self._count(piece.lines), self._new_frames(piece)
        cost = lines + sum(frames.values())
        if cost > room:
            return None
        self._frames |= frames
        self._inside[piece] = lines
        self._room -= cost
        return cost

    def _new_frames(self, piece: Piece) -> dict[str, int]:
        """What the headings cost that it needs and that are not there."""
        if piece.heading in self._frames:
            return {}
        frames = self._rendering.frames(piece)
        return {name: self._cost(frame) for name, frame in frames if name not in self._frames}

    def _cost(self, frame: Frame) -> int:
        return self._count(frame.opening) + self._count(frame.closing)

    def _leave_out(self, piece: Piece, reason: Omission) -> None:
        self.left_out.append(
            LeftOut(section=piece.section, id=piece.id, text=piece.text, reason=reason)
        )
