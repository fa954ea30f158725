"""The token budget: where a context is cut.

The prefix must not depend on the query. So it may use a fixed part of the budget, and leaves the
rest to the tail. In both parts a share is a minimum, not a maximum: a longer section uses what the
others leave.

A `ContextPart` counts each item and each heading once, and adds the counts up. A tokenizer may
count more for the whole text than for its parts. So `final_text` counts the whole text at the end,
and removes the last items until it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from erstwhile.context.model import PREFIX, ContextItem, LeftOut, Omission, Section
from erstwhile.context.wording import Wording
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Tokenizer, Tokenizers
from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING

if TYPE_CHECKING:
    from erstwhile.context.pieces import Piece

GUARANTEES = {
    Section.FACTS: 10, Section.HISTORY: 25, Section.CONVERSATIONS: 10, Section.LESSONS: 5,
    Section.TASKS: 5, Section.OBSERVATIONS: 4, Section.OUTCOMES: 4,
}  # fmt: skip
"""The smallest percentage of the tail for a section. In a small tail, earlier ones come first."""
PREFIX_GUARANTEES = {
    Section.INSTRUCTIONS: 50, Section.RULES: 20, Section.PROFILE: 20, Section.PROJECT: 10,
}  # fmt: skip
"""The same in the prefix, of what is not kept for blocks. Instructions have bounds of their own."""
_ONE_ITEM = 60
"""The usual tokens of an item and its heading: a smaller guarantee would be useless."""
_MIN_ITEM = 8
"""The fewest tokens of an item."""
_MAX_ITEMS = 1_000
MAX_FOUND = 1_000


def prefix_rooms(tokens: int, needs: Collection[Section]) -> tuple[int, int]:
    """Return the most tokens of the prefix without blocks, and with them; all without a tail."""
    return (tokens // 2, tokens * 3 // 4) if set(needs) - PREFIX else (tokens, tokens)


def guarantee(room: int, percentage: int) -> int:
    """Return the tokens that a section has at least: its percentage, or enough for one item."""
    return min(room, max(room * percentage // 100, _ONE_ITEM))


def most_items(tokens: int) -> int:
    """Return how many items of a section are worth reading."""
    return max(1, min(tokens // _MIN_ITEM, _MAX_ITEMS))


Count: TypeAlias = Callable[[str], int]
"""Returns the number of tokens of a text."""

_MAX_PART = 10_000
"""The characters that a tokenizer gets at once. Some refuse long texts, or are slow with them."""
_CACHED_LENGTH = 2_000
"""The longest text, in characters, whose count is kept for other contexts."""
_CACHE_SIZE = 20_000

_counts: dict[bytes, int] = {}
"""Cached counts. The key is a digest, so that erased text is not kept here."""


def token_counter(tokenizers: Tokenizers) -> Count:
    """Return a function that counts tokens in parts, and caches the counts of short parts.

    Pieces are counted while a context is packed. The parts of the whole text are mostly theirs, so
    that counting it takes no time.
    """
    tokenizer, estimate = tokenizers.default, tokenizers.estimate
    key = tokenizer.name.encode()[:64]

    @cache
    def count_part(text: str) -> int:
        if len(text) > _CACHED_LENGTH:
            return sum(_safe_count(each, tokenizer, estimate) for each in _parts_of_long_text(text))
        digest = blake2b(text.encode(errors="surrogatepass"), key=key, digest_size=16).digest()
        known = _counts.get(digest)
        if known is None:
            if len(_counts) >= _CACHE_SIZE:
                _counts.clear()
            known = _counts[digest] = _safe_count(text, tokenizer, estimate)
        return known

    return lambda text: sum(map(count_part, tokenizer.parts(text)))


def _safe_count(text: str, tokenizer: Tokenizer, estimate: Tokenizer) -> int:
    """Return the tokens of a text; if the tokenizer fails, those of the estimate, never too few."""
    try:
        return tokenizer.count(text)
    except Exception as error:  # a tokenizer is foreign code, and a prompt must not fail with it
        log_failure(__name__, "tokens are estimated: the tokenizer failed", error=error)
        return estimate.count(text)


def _parts_of_long_text(text: str) -> Iterator[str]:
    """Yield a text in stretches that end before a space, where tokens begin."""
    start = 0
    while len(text) - start > _MAX_PART:
        gap = text.rfind(" ", start + _MAX_PART // 2, start + _MAX_PART)
        end = gap if gap > 0 else start + _MAX_PART
        yield text[start:end]
        start = end
    yield text[start:]


_ORDER = {section: at for at, section in enumerate(Section)}
MAX_TOKEN = 16
"""The characters of a token, at most. A text that is too long by this measure is not counted."""


class ContextPart:
    """The prefix or the tail while it is filled. `before` is the text in front of it."""

    def __init__(self, wording: Wording, count: Count, limit: int, before: str = "") -> None:
        self._wording = wording
        self._frame = cache(wording.frame)
        self._group_frame = cache(wording.group)
        self.count = count
        self._before = before
        self.limit = limit
        self._inside: dict[Piece, int] = {}
        self._by_id: dict[str, Piece] = {}
        self._costs: dict[tuple[str, ...], int] = {}
        """The tokens of the headings of sections and groups, and of hints."""
        self._hints: dict[Section, str] = {}
        self._seen: set[str] = set()
        self._elsewhere: frozenset[str] = frozenset()
        self.left_out: list[LeftOut] = []
        # The preamble is written once, before the first memory.
        lead = "" if MEMORY_OPENING in before else f"{wording.preamble}\n"
        self._opening, self._closing = f"{lead}{MEMORY_OPENING}\n", f"{MEMORY_CLOSING}\n"
        self._marks = count(self._opening) + count(self._closing)
        self.room = limit - count(before) - self._marks

    def add_hint(self, section: Section, text: str) -> None:
        """Add a hint after the memory, if it fits."""
        hint = self._wording.hint(section, text)
        cost = self.count(hint)
        if cost <= self.room + self._marks:
            self._hints[section], self._costs[(section,)] = hint, cost
            self.room -= cost

    def put(self, piece: Piece, room: int | None = None) -> int | None:
        """Add a piece and its headings; return their tokens, or None if they do not fit."""
        room = self.room if room is None else min(room, self.room)
        if len(piece.text) > room * MAX_TOKEN:
            return None
        lines, headings = self.count(piece.lines), self._new_headings(piece)
        cost = lines + sum(headings.values())
        if cost > room:
            return None
        self._costs |= headings
        self._inside[piece] = lines
        self._by_id[piece.id] = piece
        self._seen.update(piece.marks)
        self.room -= cost
        return cost

    def swap(self, old: Piece, new: Piece) -> bool:
        """Put a longer piece in the place of one with the same headings, if it fits."""
        if len(new.text) > (self.room + len(old.text)) * MAX_TOKEN:
            return False
        more = self.count(new.lines) - self._inside[old]
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
        while (text := self.text()) and self.count(self._before + text) > self.limit:
            if self._inside:
                piece, _ = self._inside.popitem()
                self.leave_out(piece, Omission.BUDGET)
            else:
                self._hints.popitem()
        return text

    def text(self, without: Section | None = None) -> str:
        """Return the text, perhaps without a section."""
        sections = list[str]()
        for section, inside in groupby(self._in_reading_order(), lambda piece: piece.section):
            if section is without:
                continue
            opening, closing = self._frame(section)
            for (heading, _), pieces in groupby(inside, lambda piece: (piece.heading, piece.group)):
                before, after = self._group_frame(heading) if heading else ("", "")
                opening += f"{before}{''.join(piece.lines for piece in pieces)}{after}"
            sections.append(opening + closing)
        body = "\n".join(sections)
        memory = f"{self._opening}{body}{self._closing}" if body else ""
        return memory + "".join(self._hints.values())

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
            for piece in self._in_reading_order()
        ]

    @property
    def sections(self) -> dict[Section, int]:
        """The tokens of each section in the text, with its headings."""
        there = {piece.section for piece in self._inside}.union(self._hints)
        spent = dict.fromkeys((section for section in Section if section in there), 0)
        for (name, *_), cost in self._costs.items():
            if name in there:
                spent[Section(name)] += cost
        for piece, cost in self._inside.items():
            spent[piece.section] += cost
        return spent

    @property
    def pieces(self) -> list[Piece]:
        """The pieces, in the order in which they were put."""
        return [*self._inside]

    def _in_reading_order(self) -> list[Piece]:
        """Return the pieces by section and place; those without a place stay as they are."""
        return sorted(self._inside, key=lambda piece: (_ORDER[piece.section], piece.place))

    def _new_headings(self, piece: Piece) -> dict[tuple[str, ...], int]:
        """Return the tokens of the headings that a piece needs and that are missing."""
        section, group = (piece.section,), (piece.section, piece.heading, piece.group)
        missing: dict[tuple[str, ...], int] = {}
        if section not in self._costs:
            opening, closing = self._frame(piece.section)
            missing[section] = self.count(f"\n{opening}") + self.count(closing)
        if piece.heading and group not in self._costs:
            missing[group] = sum(map(self.count, self._group_frame(piece.heading)))
        return missing
