"""Rendering: pieces as text, in sections and groups, inside the marks that memory is known by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby

from erstwhile.context.budget import SHARES
from erstwhile.context.model import Section
from erstwhile.context.pieces import Piece
from erstwhile.context.wording import Frame, Wording
from erstwhile.core.memory_markers import CLOSING, OPENING

ORDER = tuple(SHARES)
"""Of the sections that quote memory."""
_FROM_THE_BEGINNING = (Section.RULES, Section.PROJECT, Section.HISTORY)
"""These are gathered newest first."""
_NOTHING = Frame("", "")


class Rendering:
    """How a part is laid out that follows the text `before`."""

    def __init__(self, wording: Wording, before: str) -> None:
        # Said once, where the first memory stands.
        lead = "" if OPENING in before else f"{wording.preamble}\n"
        self.marks = Frame(f"{lead}{OPENING}\n", f"{CLOSING}\n")
        self._frame, self._group_frame = cache(wording.frame), cache(wording.group)

    def text(self, pieces: Sequence[Piece]) -> str:
        """Of pieces in the order of their sections and groups; nothing if there are none."""
        sections = groupby(pieces, lambda piece: piece.section)
        body = "\n".join(self._section(section, [*each]) for section, each in sections)
        return f"{self.marks.opening}{body}{self.marks.closing}" if body else ""

    def frames(self, piece: Piece) -> Iterator[tuple[str, Frame]]:
        """The headings that a piece needs, each with a name: others may stand under it, too."""
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
        frame = self._group_frame(name) if name else _NOTHING
        return f"{frame.opening}{''.join(piece.lines for piece in pieces)}{frame.closing}"


def in_order(section: Section, ranked: Sequence[Piece]) -> list[Piece]:
    """As they are read: what came first before what came later, groups by the best of each.

    In the prefix, too, so that what is added leaves what stands before it as it was.
    """
    if section in _FROM_THE_BEGINNING:
        return list(reversed(ranked))
    groups = list(dict.fromkeys(piece.group for piece in ranked))
    return sorted(ranked, key=lambda piece: groups.index(piece.group))
