"""The whole words of passages: a word that a passage ends in belongs to the passage it begins in.

A text may have words that are longer than a passage, such as encoded data. They are found by the
whole word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SPACE = re.compile(r"\s|$")
_UNSPACED = "\u0e00"
"""From this character on, many scripts have no spaces, and every character is found alone."""


def whole_words(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield the text of each passage, without a word begun before, with the rest of the last."""
    covered = 0
    for start, end in spans:
        begin = max(start, covered)
        if end > covered:  # else it is a part of a word whose end is known
            covered = _word_end(text, end)
        yield text[begin:covered]


def _word_end(text: str, end: int) -> int:
    """Return the end of the word that stands across a place, or the place if there is none."""
    if end >= len(text) or not (_is_letter(text[end - 1]) and _is_letter(text[end])):
        return end
    found = _SPACE.search(text, end)
    return len(text) if found is None else found.start()


def _is_letter(character: str) -> bool:
    return character.isalnum() and character < _UNSPACED
