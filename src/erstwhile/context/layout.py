"""Lay out pieces as text: marks around all, headings above sections and groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby

from erstwhile.context.model import Section
from erstwhile.context.piece import Piece
from erstwhile.context.wording import Frame, Wording
from erstwhile.core.memory_markers import CLOSING, OPENING

_ORDER = {section: at for at, section in enumerate(Section)}
_NO_FRAME = Frame("", "")


class Layout:
    """The headings and markers of a part that follows the text `before`."""

    def __init__(self, wording: Wording, before: str) -> None:
        # The preamble is written once, before the first memory.
        lead = "" if OPENING in before else f"{wording.preamble}\n"
        self.marks = Frame(f"{lead}{OPENING}\n", f"{CLOSING}\n")
        self._frame, self._group_frame = cache(wording.frame), cache(wording.group)

    def text(self, pieces: Sequence[Piece]) -> str:
        """Return the text of pieces in reading order; empty without pieces."""
        sections = groupby(pieces, lambda piece: piece.section)
        body = "\n".join(self._section(section, [*each]) for section, each in sections)
        return f"{self.marks.opening}{body}{self.marks.closing}" if body else ""

    def frames(self, piece: Piece) -> Iterator[tuple[tuple[str, ...], Frame]]:
        """Yield the headings that a piece needs, each with a name; pieces can share a heading."""
        opening, closing = self._frame(piece.section)
        yield (piece.section,), Frame(f"\n{opening}", closing)
        if piece.heading:
            yield (piece.section, piece.group), self._group_frame(piece.heading)

    def _section(self, section: Section, pieces: Sequence[Piece]) -> str:
        frame = self._frame(section)
        groups = groupby(pieces, lambda piece: (piece.group, piece.heading))
        body = "".join(self._group(heading, [*each]) for (_, heading), each in groups)
        return f"{frame.opening}{body}{frame.closing}"

    def _group(self, heading: str, pieces: Sequence[Piece]) -> str:
        frame = self._group_frame(heading) if heading else _NO_FRAME
        return f"{frame.opening}{''.join(piece.lines for piece in pieces)}{frame.closing}"


def reading_order(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces by section and place; pieces without a place stay as they are."""
    return sorted(pieces, key=lambda piece: (_ORDER[piece.section], piece.place))
