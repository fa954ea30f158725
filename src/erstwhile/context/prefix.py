"""Fill the prefix: sections by their guarantees, then blocks, whole or visibly cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from erstwhile.blocks.block import Block
from erstwhile.context.budget import PREFIX_GUARANTEES, guarantee
from erstwhile.context.counting import Count
from erstwhile.context.model import Omission, Section
from erstwhile.context.pack import ContextPart
from erstwhile.context.piece import Piece
from erstwhile.context.pieces import PieceFactory
from erstwhile.context.quoting import escaped
from erstwhile.context.sections import Sections, in_order
from erstwhile.core.text import folded

MOST_INSTRUCTIONS = 16
"""The most standing instructions of a context."""
INSTRUCTION_CHARS = 1_500
"""The most characters of all of them."""
_STRETCH = 200
"""The characters of a block that are kept or cut together."""
_SHORT_CUTS = (80, 20)
"""The characters that are kept where not even one stretch fits."""


def fill_prefix(part: ContextPart, sections: Sections, room: int) -> None:
    """Put the pieces that are no blocks, within `room` tokens of the part."""
    waiting: list[Piece] = []
    ahead = {name: part_of for name, part_of in PREFIX_GUARANTEES.items() if sections.get(name)}
    whole = room
    for section, percentage in ahead.items():
        left = min(guarantee(whole, percentage), room)
        for piece in _within_bounds(part, section, sections[section]):
            cost = _put(part, piece, left, waiting)
            left, room = left - cost, room - cost
    for piece in waiting:
        put = part.put(piece, room)
        if put is None:
            part.leave_out(piece, Omission.BUDGET)
        room -= put or 0


def _within_bounds(part: ContextPart, section: Section, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a section; of instructions the newest within their bounds.

    Of instructions with the same text only the newest counts.
    """
    if section is not Section.INSTRUCTIONS:
        return [*pieces]
    chosen: dict[str, Piece] = {}
    room = INSTRUCTION_CHARS
    for piece in pieces:
        text = folded(piece.text)
        if text in chosen:
            part.leave_out(piece, Omission.DUPLICATE)
        elif len(chosen) == MOST_INSTRUCTIONS or len(piece.text) > room:
            part.leave_out(piece, Omission.BUDGET)
        else:
            chosen[text] = piece
            room -= len(piece.text)
    return [*chosen.values()]


def _put(part: ContextPart, piece: Piece, room: int, waiting: list[Piece]) -> int:
    """Put a piece that is not there yet; return its tokens, 0 if it has to wait."""
    if part.has(piece):
        part.leave_out(piece, Omission.DUPLICATE)
        return 0
    cost = part.put(piece, room)
    if cost is None:
        waiting.append(piece)
    return cost or 0


def fill_blocks(
    part: ContextPart, blocks: Sequence[Block], make: PieceFactory, count: Count
) -> None:
    """Put blocks, the shortest first. Those that are longer than their part of the room are cut."""
    pieces = in_order(Section.BLOCKS, [make.block(block) for block in blocks])
    pairs = sorted(zip(blocks, pieces, strict=True), key=lambda pair: len(pair[1].text))
    for at, (block, piece) in enumerate(pairs):
        room = part.room // (len(pairs) - at)
        if part.has(piece):
            part.leave_out(piece, Omission.DUPLICATE)
        elif part.put(piece, room) is None and not _put_cut(part, block, piece, make, count, room):
            part.leave_out(piece, Omission.BUDGET)


def _put_cut(
    part: ContextPart, block: Block, whole: Piece, make: PieceFactory, count: Count, room: int
) -> bool:
    """Put as much of the beginning of a block as fits, with a note; return whether any fits."""
    stretches = [*_beginning(block.content, room, count)]
    ends = [*accumulate(map(len, stretches))][::-1]  # the heading and the note take room, too
    for end in (*ends, *_SHORT_CUTS):
        kept = block.content[:end].rstrip()
        left_out = max(block.tokens - count(escaped(kept)), 1)
        cut = replace(make.cut_block(block, kept, left_out), place=whole.place)
        if part.put(cut, room) is not None:
            return True
    return False


def _beginning(text: str, room: int, count: Count) -> Iterator[str]:
    """Yield the stretches of a text that may fit."""
    for stretch in _stretches(text):
        room -= count(escaped(stretch)) + stretch.count("\n")
        if room < 0:
            return
        yield stretch


def _stretches(text: str) -> Iterator[str]:
    """Yield a text in short stretches, which end after a space or a line if they can."""
    start = 0
    while start < len(text):
        end = start + _STRETCH
        gap = max(text.rfind(mark, start + 1, end) for mark in (" ", "\n"))
        end = gap + 1 if gap > start and end < len(text) else end
        yield text[start:end]
        start = end
