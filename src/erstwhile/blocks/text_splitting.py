"""Splitting of texts: after a line or a sentence, else after a word, else between characters.

A character here is a grapheme: it may consist of several code points. A fenced block of code
stays whole.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable

_SENTENCES = re.compile(r"\n+|[.!?…][\"'”’)\]]*\s+|[。！？]+[」』”’）]*\s*")
_WORDS = re.compile(r"\s+")
_LONGEST_ENDING = 20
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_JOINED = frozenset("\u0e33\u0eb3\uff9e\uff9f")
_JOINING = frozenset(
    "\u0d4e\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a3a\U00011d46\U00011f02"
) | {chr(code) for code in range(0x11A84, 0x11A8A)}
_HANGUL_PARTS = (range(0x1100, 0x1200), range(0xA960, 0xA980), range(0xD7B0, 0xD800))
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def split(text: str, fits: Callable[[str], bool]) -> tuple[str, str]:
    """Return the longest beginning that fits, and the rest, which is not blank."""
    cuts = _Cuts(text)
    end = _longest(text, fits)
    while (cut := cuts.last(0, end)) and not fits(text[:cut]):
        end = cut - 1
    return text[:cut], text[cut:]


def split_end(text: str, fits: Callable[[str], bool]) -> tuple[str, str]:
    """Return the rest, which is not blank, and the longest end that fits."""
    cuts = _Cuts(text)
    start = len(text) - _longest(text[::-1], lambda end: fits(end[::-1]))
    while (cut := cuts.first(start)) < len(text) and not fits(text[cut:]):
        start = cut + 1
    return text[:cut], text[cut:]


def parts(text: str, size: int) -> list[str]:
    """Return the text in parts of about `size` characters. Only a blank text has blank parts."""
    cuts, start = _Cuts(text), 0
    found: list[str] = []
    while True:
        begins = start + len(text[start:]) - len(text[start:].lstrip())
        cut = cuts.last(begins, begins + size) or cuts.next(begins + size)
        if cut >= len(text) or len(text) - begins <= size:
            return [*found, text[start:]]
        found.append(text[start:cut])
        start = cut


def is_break(text: str, at: int) -> bool:
    """Return whether a visible character surely ends here. In doubt, return False."""
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return (before, after) != ("\r", "\n")
    kind, next_kind = unicodedata.category(before), unicodedata.category(after)
    if next_kind in ("Mn", "Mc", "Me", "Cf", "Cn") or kind in ("Cf", "Cn"):
        return False
    if kind in ("Mn", "Mc") and next_kind == "Lo":  # a conjunct may go on
        return False
    if before in _JOINING or after in _JOINED or ord(after) in _SKIN_TONES:
        return False
    if any(ord(after) in part for part in _HANGUL_PARTS):
        return False
    return not (ord(before) in _FLAG_LETTERS and ord(after) in _FLAG_LETTERS)


class _Cuts:
    """The places where a text may be cut."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text.rstrip())
        """The text after a cut must not be blank."""
        self._fences = _fences(text)

    def last(self, start: int, end: int) -> int:
        """Return the best place after `start` and up to `end`; 0 if there is none."""
        for ends in (_SENTENCES, _WORDS):
            places = [found.end() for found in ends.finditer(self._text, start, end)]
            for place in reversed(places):
                if place > start and self._allows(place):
                    return place
        anywhere = range(min(end, len(self._text)), start, -1)
        return next(filter(self._allows, anywhere), 0)

    def first(self, start: int) -> int:
        """Return the best place from `start` on; the end of the text if there is none."""
        for ends in (_SENTENCES, _WORDS):
            # The end of a sentence may begin a little before `start`.
            for found in ends.finditer(self._text, max(start - _LONGEST_ENDING, 0)):
                if found.end() >= start and self._allows(found.end()):
                    return found.end()
        return self.next(start)

    def next(self, start: int) -> int:
        """Return the first place from `start` on; the end of the text if there is none."""
        return next(filter(self._allows, range(start, self._end)), len(self._text))

    def _allows(self, place: int) -> bool:
        return 0 < place < self._end and not self._in_fence(place) and is_break(self._text, place)

    def _in_fence(self, place: int) -> bool:
        before = bisect_left(self._fences, (place, 0)) - 1
        return before >= 0 and place < self._fences[before][1]


def _fences(text: str) -> list[tuple[int, int]]:
    """Return start and end of each fenced block. An unclosed one ends with the text."""
    found: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            opened = line
        elif line[1].startswith(opened[1]) and not line[2].strip():
            found.append((opened.start(), line.end()))
            opened = None
    return [*found, (opened.start(), len(text))] if opened else found


def _longest(text: str, fits: Callable[[str], bool]) -> int:
    """Return how many characters of the beginning fit, without reading much more."""
    length, step = 0, 64
    while length + step < len(text) and fits(text[: length + step]):
        length, step = length + step, 2 * step
    while step > 1:
        step //= 2
        if length + step <= len(text) and fits(text[: length + step]):
            length += step
    return length
