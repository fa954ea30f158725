"""Fill the prefix: facts that do not depend on the query, then blocks, whole or visibly cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from erstwhile.blocks.block import Block
from erstwhile.context.budget import PREFIX_GUARANTEES, ContextPart, Count, guarantee
from erstwhile.context.escaping import escaped
from erstwhile.context.model import Omission, Section
from erstwhile.context.pieces import Piece, PieceFactory
from erstwhile.core.kinds import Kind
from erstwhile.core.languages import LANGUAGE_KEY
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact, is_item

if TYPE_CHECKING:
    from erstwhile.context.gather import Gathered

_PROJECT = (Kind.PROJECT, Kind.ENVIRONMENT)
_OLDEST_FIRST = (Section.RULES, Section.INSTRUCTIONS, Section.PROJECT)
"""Sections that show the oldest item first, so that the text before a new one stays equal."""
MAX_INSTRUCTIONS = 16
"""The most standing instructions of a context."""
INSTRUCTION_CHARS = 1_500
"""The most characters of all of them."""
_CHUNK = 200
"""The characters of a block that are kept or cut together."""
_SHORT_CUTS = (80, 20)
"""The characters that are kept where not even one chunk fits."""


def fill_prefix(
    part: ContextPart, found: Gathered, needs: Collection[Section], make: PieceFactory, half: int
) -> None:
    """Fill the prefix, all but blocks within `half`. It depends neither on query nor tail."""
    language = found.values.get(LANGUAGE_KEY)
    if language and Section.LANGUAGE in part.sections:  # the hint replaces the fact
        part.see({language.id})
    placed = _placed_facts(found, needs)
    ids = {fact.id for facts in placed.values() for fact in facts}
    # The citations of the prefix are assigned first, so that they do not depend on the tail.
    make.citations.reserve(ids)
    make.citations.reserve(block.id for block in found.blocks)
    against = found.contradictions(ids)
    sections = {
        section: in_order(
            section, [make.prefix_fact(section, each, against.get(each.id, ())) for each in facts]
        )
        for section, facts in placed.items()
    }
    _fill_sections(part, sections, part.room + half - part.limit)
    _fill_blocks(part, found.blocks, make)


def _placed_facts(found: Gathered, needs: Collection[Section]) -> dict[Section, list[Fact]]:
    """Return the facts that do not depend on the query, by section, most important first."""
    placed: dict[Section, list[Fact]] = {}
    facts = {fact.id: fact for fact in (*found.values.values(), *found.standing)}
    for fact in facts.values():
        if not found.is_overridden(fact) and (section := _place(fact, needs)):
            placed.setdefault(section, []).append(fact)
    for section in _OLDEST_FIRST:
        placed.get(section, []).sort(key=lambda fact: fact.id, reverse=True)
    instructions = placed.get(Section.INSTRUCTIONS, [])
    # Pinned ones first, then by the date that they show: the last ones may be left out.
    instructions.sort(key=lambda fact: (fact.pinned, fact.valid_from), reverse=True)
    return placed


def in_order(section: Section, pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces with their place in the text. They may be put in another order."""
    if section is Section.OUTCOMES:
        return [*pieces]
    sign = -1 if section in _OLDEST_FIRST else 1
    return [replace(piece, place=(sign * at,)) for at, piece in enumerate(pieces)]


def _place(fact: Fact, needs: Collection[Section]) -> Section | None:
    fitting = {
        Section.INSTRUCTIONS: fact.kind is Kind.INSTRUCTION,
        Section.PROJECT: fact.kind in _PROJECT,
        Section.PROFILE: fact.kind is Kind.PROFILE or (fact.key is not None and not is_item(fact)),
        Section.RULES: fact.pinned,
    }
    return next((section for section, fits in fitting.items() if fits and section in needs), None)


def _fill_sections(part: ContextPart, sections: dict[Section, list[Piece]], room: int) -> None:
    """Put the pieces that are no blocks, within `room` tokens of the part."""
    waiting: list[Piece] = []
    ahead = {name: part_of for name, part_of in PREFIX_GUARANTEES.items() if sections.get(name)}
    whole = room
    for section, percentage in ahead.items():
        left = min(guarantee(whole, percentage), room)
        for piece in _within_bounds(part, section, sections[section]):
            if part.has(piece):
                part.leave_out(piece, Omission.DUPLICATE)
            elif (cost := part.put(piece, left)) is None:
                waiting.append(piece)
            else:
                left, room = left - cost, room - cost
    for piece in waiting:
        if (cost := part.put(piece, room)) is None:
            part.leave_out(piece, Omission.BUDGET)
        else:
            room -= cost


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
        elif len(chosen) == MAX_INSTRUCTIONS or len(piece.text) > room:
            part.leave_out(piece, Omission.BUDGET)
        else:
            chosen[text] = piece
            room -= len(piece.text)
    return [*chosen.values()]


def _fill_blocks(part: ContextPart, blocks: Sequence[Block], make: PieceFactory) -> None:
    """Put blocks, the shortest first. Those that are longer than their part of the room are cut."""
    pieces = in_order(Section.BLOCKS, [make.block(block) for block in blocks])
    pairs = sorted(zip(blocks, pieces, strict=True), key=lambda pair: len(pair[1].text))
    for at, (block, piece) in enumerate(pairs):
        room = part.room // (len(pairs) - at)
        if part.has(piece):
            part.leave_out(piece, Omission.DUPLICATE)
        elif part.put(piece, room) is None and not _put_cut(part, block, piece, make, room):
            part.leave_out(piece, Omission.BUDGET)


def _put_cut(part: ContextPart, block: Block, whole: Piece, make: PieceFactory, room: int) -> bool:
    """Put as much of the beginning of a block as fits, with a note; return whether any fits."""
    ends = [*_possible_ends(block.content, room, part.count)]
    for end in (*reversed(ends), *_SHORT_CUTS):  # the heading and the note take room, too
        kept = block.content[:end].rstrip()
        left_out = max(block.tokens - part.count(escaped(kept)), 1)
        beginning = replace(block, content=f"{kept} …".lstrip())
        cut = replace(make.block(beginning, left_out), place=whole.place)
        if part.put(cut, room) is not None:
            return True
    return False


def _possible_ends(text: str, room: int, count: Count) -> Iterator[int]:
    """Yield where the beginning of a text may end, after a space or a line if possible."""
    start = 0
    while start < len(text):
        end = start + _CHUNK
        gap = max(text.rfind(mark, start + 1, end) for mark in (" ", "\n"))
        end = gap + 1 if gap > start and end < len(text) else min(end, len(text))
        chunk = text[start:end]
        room -= count(escaped(chunk)) + chunk.count("\n")
        if room < 0:
            return
        yield end
        start = end
