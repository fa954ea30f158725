"""Pack pieces into a part of the text so that the text stays within its budget, and lay them out.

While a part is filled, the tokens of pieces and headings are added up. A tokenizer may count more
for the whole text than for its pieces. So the whole text is counted at the end, and the last pieces
are removed until it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from erstwhile.context.budget import SHARES, Count, allowance
from erstwhile.context.model import ContextItem, LeftOut, Omission, Section
from erstwhile.context.pieces import Piece
from erstwhile.context.wording import Frame, Wording
from erstwhile.core.memory_markers import CLOSING, OPENING

MARKS = "marks"
LONGEST_TOKEN = 128
"""The most characters of a token. A text that is too long by this measure is not counted."""
ORDER = tuple(SHARES)
"""The order of the sections that quote memory."""
_OLDEST_FIRST = (Section.RULES, Section.PROJECT, Section.HISTORY)
"""Sections that show the oldest item first. They are gathered newest first."""
_NO_FRAME = Frame("", "")


class ContextPart:
    """The prefix or the tail while it is filled. `before` is the text in front of it."""

    def __init__(self, wording: Wording, count: Count, limit: int, before: str = "") -> None:
        self._layout = Layout(wording, before)
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

    def add_hint(self, section: Section, text: str) -> None:
        """Add a hint after the memory, if it fits."""
        hint = self._wording.hint(section, text)
        cost = self._count(hint)
        if cost <= self._room:
            self._hints[section], self._frames[section] = hint, cost
            self._room -= cost

    def fill(self, found: Mapping[Section, Sequence[Piece]], before: Iterable[str] = ()) -> None:
        """Fill each section up to its share, the largest first, then use the rest for any piece.

        `before` has the marks of items that are in the text already.
        """
        self._found, seen = found, set(before)
        self._frames[MARKS] = self._cost(self._layout.marks)
        self._room -= self._frames[MARKS]
        ahead = sorted(filter(found.get, ORDER), key=SHARES.__getitem__, reverse=True)
        waiting: list[Piece] = []
        while ahead:
            room = allowance(self._room, ahead[0], ahead)
            waiting += self._admit(found[ahead.pop(0)], room, seen)
        for _, pieces in groupby(waiting, lambda piece: piece.section):
            for piece in self._admit([*pieces], self._room, seen):
                self._leave_out(piece, Omission.BUDGET)

    def final_text(self) -> str:
        """Return the text; remove the last pieces until it is within the limit."""
        while (text := self._text()) and self._count(self._before + text) > self._limit:
            if self._inside:
                piece, _ = self._inside.popitem()
                self._leave_out(piece, Omission.BUDGET)
            else:
                self._hints.popitem()
        return text

    @property
    def marks(self) -> set[str]:
        """The marks by which a repeat of these pieces is recognised."""
        return {mark for piece in self._inside for mark in piece.marks}

    @property
    def items(self) -> list[ContextItem]:
        """The items in the order of the text, after `final_text`."""
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
        """The tokens of each section in the text, with its headings."""
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
        self._laid_out = [*self._ordered()]
        return self._layout.text(self._laid_out) + "".join(self._hints.values())

    def _ordered(self) -> Iterator[Piece]:
        for section in ORDER:
            inside = [each for each in self._found.get(section, ()) if each in self._inside]
            if inside:
                yield from reading_order(section, inside)

    def _admit(self, pieces: Sequence[Piece], room: int, seen: set[str]) -> list[Piece]:
        """Add the pieces that fit; return the others, for which there may be room later."""
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
                return [*pieces[at:]]  # a conversation must not have a gap
            else:
                waiting.append(piece)
        return waiting

    def _put(self, piece: Piece, room: int) -> int | None:
        """Add a piece and its headings; return their tokens, or None if they do not fit."""
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
        """Return the tokens of the headings that a piece needs and that are missing."""
        if piece.heading in self._frames:
            return {}
        frames = self._layout.frames(piece)
        return {name: self._cost(frame) for name, frame in frames if name not in self._frames}

    def _cost(self, frame: Frame) -> int:
        return self._count(frame.opening) + self._count(frame.closing)

    def _leave_out(self, piece: Piece, reason: Omission) -> None:
        self.left_out.append(
            LeftOut(section=piece.section, id=piece.id, text=piece.text, reason=reason)
        )


class Layout:
    """The headings and markers of a part that follows the text `before`."""

    def __init__(self, wording: Wording, before: str) -> None:
        # The preamble is written once, before the first memory.
        lead = "" if OPENING in before else f"{wording.preamble}\n"
        self.marks = Frame(f"{lead}{OPENING}\n", f"{CLOSING}\n")
        self._frame, self._group_frame = cache(wording.frame), cache(wording.group)

    def text(self, pieces: Sequence[Piece]) -> str:
        """Return the text of pieces that are ordered by section and group; empty without pieces."""
        sections = groupby(pieces, lambda piece: piece.section)
        body = "\n".join(self._section(section, [*each]) for section, each in sections)
        return f"{self.marks.opening}{body}{self.marks.closing}" if body else ""

    def frames(self, piece: Piece) -> Iterator[tuple[str, Frame]]:
        """Yield the headings that a piece needs, each with a name; pieces can share a heading."""
        opening, closing = self._frame(piece.section)
        yield piece.section, Frame(f"\n{opening}", closing)
        if piece.group:
            yield piece.heading, self._group_frame(piece.group)

    def _section(self, section: Section, pieces: Sequence[Piece]) -> str:
        frame = self._frame(section)
        groups = groupby(pieces, lambda piece: piece.group)
        body = "".join(self._group(name, [*each]) for name, each in groups)
        return f"{frame.opening}{body}{frame.closing}"

    def _group(self, name: str, pieces: Sequence[Piece]) -> str:
        frame = self._group_frame(name) if name else _NO_FRAME
        return f"{frame.opening}{''.join(piece.lines for piece in pieces)}{frame.closing}"


def reading_order(section: Section, ranked: Sequence[Piece]) -> list[Piece]:
    """Return pieces in reading order: oldest first, or groups by their best piece.

    In the prefix a new piece comes last, so that the text before it stays equal.
    """
    if section in _OLDEST_FIRST:
        return list(reversed(ranked))
    groups = list(dict.fromkeys(piece.group for piece in ranked))
    return sorted(ranked, key=lambda piece: groups.index(piece.group))
