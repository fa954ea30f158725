"""Split a text into passages: the pieces of a long text that words and vectors compare.

A passage is a few sentences or lines; a short text is one passage. Passages end where a paragraph,
a line or a sentence ends if possible, else at a space or comma, else anywhere. So no text, however
it is written, has a passage longer than `LONGEST`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

SIZE = 300
"""The characters of a usual passage, some fifty words."""
LONGEST = 2 * SIZE
"""The most characters of a passage."""
_FULL = 1.3
"""A sentence joins a passage that stays below this many times its usual size."""
_WIDE = 2.5
"""The characters that one character counts for in scripts where it is a syllable or a word."""

Span: TypeAlias = tuple[int, int]

# Each alternative begins with one character, and nothing is tried twice: searching is linear.
_END = re.compile(
    r"[.!?…](?<!\s\d.)(?<!\s\d\d.)[\"'”’»)\]*_`]?\s+"  # a sentence, not the number of a list item
    r"|[。！？；][”’」』）】]?\s*"
    r"|\n\s*"
)
_WIDE_CHARACTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_HEADINGS = ("#", "```", "~~~")
_GAPS = " \n\t,;，、；"


def split(text: str) -> list[Span]:
    """Return the start and end of each passage, in order. Together they are the whole text."""
    size = SIZE if text.isascii() else _size(text)
    if len(text) <= size:
        return [(0, len(text))]
    return list(_joined(text, _pieces(text, size), size))


def _size(text: str) -> int:
    """Return the usual size of a passage in the scripts of this text."""
    wide = len(_WIDE_CHARACTER.findall(text))
    return int(SIZE / (1 + (_WIDE - 1) * wide / max(len(text), 1)))


def _pieces(text: str, size: int) -> Iterator[Span]:
    """Yield sentences and lines, those of more than twice the size in parts."""
    start = 0
    for end in _ends(text):
        while end - start > 2 * size:
            cut = _gap(text, start + size // 2, start + size)
            yield start, cut
            start = cut
        if end > start:
            yield start, end
        start = end


def _ends(text: str) -> Iterator[int]:
    for found in _END.finditer(text):
        yield found.end()
    yield len(text)


def _gap(text: str, start: int, end: int) -> int:
    """Return the place after the last gap between words, or `end` if there is none."""
    return max(text.rfind(gap, start, end) for gap in _GAPS) + 1 or end


def _joined(text: str, pieces: Iterable[Span], size: int) -> Iterator[Span]:
    """Join pieces until a passage is full. A short rest belongs to the last passage."""
    start, end = last = (0, 0)
    for piece in pieces:
        if _is_full(text, (start, end), piece, size):
            if last[1]:
                yield last
            last, start = (start, end), end
        end = piece[1]
    if last[1] and end - start < size // 3 and end - last[0] <= 2 * size:
        yield last[0], end
        return
    if last[1]:
        yield last
    yield start, end


def _is_full(text: str, passage: Span, piece: Span, size: int) -> bool:
    """Return whether a piece begins a new passage."""
    (start, end), (begin, stop) = passage, piece
    length = end - start
    if length >= size or (length and stop - start > _FULL * size):
        return True
    if length < size // 3:
        return False
    return text.startswith(_HEADINGS, begin) or (
        3 * length > 2 * size and _is_after_blank(text, end)
    )


def _is_after_blank(text: str, at: int) -> bool:
    """Return whether a blank line ends here."""
    return text.count("\n", max(0, at - 8), at) > 1
