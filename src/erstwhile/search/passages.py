"""Split text into sentences, and into passages: the pieces that words and vectors compare.

A sentence ends at a line break, at 。！？；, or at . ! ? … before a space. A full stop ends none
after a title or an initial ("Dr. No", "J. Smith"), after the number of an item or a day ("7. Mai"),
and after another abbreviation or a version, unless a capital letter follows.

A passage is a few sentences or lines; a short text is one passage. Passages end where a paragraph,
a line or a sentence ends if possible, else at a space or comma, else anywhere. So no text, however
it is written, has a passage longer than `MAX_LENGTH`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import TypeAlias

# One set of characters comes first, so that `re` skips to the next candidate. Linear: a run of
# marks is tried only from its first one.
_END = re.compile(
    r"[.!?…。！？；｡\n\r\u2028\u2029](?:"
    r"(?<=[.!?…])(?<![.!?…]{2})[.!?…]*+[\"'”’»)\]*_`]*+(?!\S)"
    r"|(?<=[。！？；｡])[。！？；｡]*+[”’」』）】]*+"
    r"|(?<=[\n\r\u2028\u2029]))\s*+"
)
_WORDS = """
dr mr mrs ms prof rev capt lt sgt gov st mt hr fr dipl med sr sra srta dra ud mme mlle dott
dottssa sig sigra ing avv vs approx bzw ca geb ул д им"""
_BEFORE_NAME = frozenset(_WORDS.split())
"""Abbreviations before a name or an example: they never end a sentence."""
_OTHER_WORDS = """
al jr inc ltd co corp jan feb mar apr jun jul aug sep sept oct nov dec etc a.m p.m г т.д т.ч"""
_OTHERS = frozenset(_OTHER_WORDS.split())
"""Abbreviations that end a sentence if a capital letter follows."""
_NUMBER_WORDS = """
no nr núm n art abs ch eq fig p pp pag pág sec tel vol рис с стр"""
_BEFORE_NUMBER = frozenset(_NUMBER_WORDS.split())
"""Abbreviations that end no sentence if a number follows."""
_MAX_WORD = 12
_OPENING = "([{<\"'“‘„«*_-–—/"


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the end of each sentence but the last, and the start of the next one."""
    for found in _END.finditer(text, start, len(text) if end is None else end):
        place, behind = found.span()
        marks = found[0].rstrip()
        if marks == "." and _is_abbreviated(text, start, place, behind):
            continue
        start = behind
        yield place + len(marks), behind


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence between two places, without the space around it."""
    stop = len(text) if end is None else end
    for last, behind in sentence_ends(text, start, stop):
        if last > start:
            yield start, last
        start = behind
    if start < stop:
        yield start, stop


def _is_abbreviated(text: str, start: int, place: int, behind: int) -> bool:
    """Return whether a full stop belongs to an abbreviation, an initial or a number."""
    begin = text.rfind(" ", max(start, place - _MAX_WORD), place) + 1 or start
    if place - begin > _MAX_WORD or "\n" in text[place:behind]:
        return False
    word = text[begin:place].lstrip(_OPENING)
    following, folded = text[behind : behind + 1], word.lower()
    last = folded.rpartition(".")[2]
    if last.isdigit():
        if last == folded:  # the item of a list, or an ordinal
            return len(last) < 3 and (begin == start or not following.isdigit())
        return following.islower() or begin == start  # a version, or the number of a section
    if last in _OTHERS or folded in _OTHERS:
        return following.islower() or following.isdigit()
    if last in _BEFORE_NUMBER and following.isdigit():
        return True
    if len(last) == 1 and last.isascii() and last.isalpha():
        is_initial = word.isupper() and word != "I" and following.isalpha()
        return last != folded or is_initial or text[behind + 1 : behind + 2] == "."  # z. B.
    return last in _BEFORE_NAME and not word.isupper()


def stands_before_name(text: str, place: int) -> bool:
    """Return whether a place is before the full stop of a title or an initial: "Prof. Dr", "J"."""
    word = text[:place].rpartition(" ")[2].lower()
    stops = text.startswith(".", place) and len(text.rstrip()) > place + 1
    return stops and (len(word) == 1 or word in _BEFORE_NAME)


SIZE = 300
"""The characters of a usual passage, some fifty words."""
MAX_LENGTH = 2 * SIZE
"""The most characters of a passage."""
_FULL = 1.3
"""A sentence joins a passage that stays below this many times its usual size."""
_WIDE = 2.5
"""The characters that one character counts for in scripts where it is a syllable or a word."""

Span: TypeAlias = tuple[int, int]

_WIDE_CHARACTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_HEADINGS = ("#", "```", "~~~")
_SHORT = 4
"""A question is short up to this part of a usual passage."""
_CLOSING = " \n\t\"'”’»)]*_`」』）】"
_GAPS = " \n\t,;，、；"
_SPACE = re.compile(r"\s|$")
_UNSPACED = "\u0e00"
"""From this character on, many scripts have no spaces, and every character is found alone."""


def split(text: str) -> list[Span]:
    """Return the start and end of each passage, in order. Together they are the whole text."""
    size = SIZE if text.isascii() else _size(text)
    if len(text) <= size:
        return [(0, len(text))]
    ends = list[int]()
    start = end = 0
    for stop in _piece_ends(text, size):
        if stop - start > size // 3 and _is_full(text, start, end, stop, size):
            ends.append(end)
            start = end
        end = stop
    before_last = ends[-2] if len(ends) > 1 else 0
    if ends and end - start < size // 3 and end - before_last <= 2 * size:
        ends.pop()  # a short rest belongs to the passage before it
    return [*pairwise((0, *ends, end))]


def _size(text: str) -> int:
    """Return the usual size of a passage in the scripts of this text."""
    wide = len(_WIDE_CHARACTER.findall(text))
    return int(SIZE / (1 + (_WIDE - 1) * wide / max(len(text), 1)))


def _piece_ends(text: str, size: int) -> Iterator[int]:
    """Yield the ends of sentences and lines, those of more than twice the size in parts."""
    start = 0
    for _, end in chain(sentence_ends(text), [(0, len(text))]):
        while end - start > 2 * size:
            gaps = (text.rfind(gap, start + size // 2, start + size) for gap in _GAPS)
            start = max(gaps) + 1 or start + size
            yield start
        if end > start:
            yield end
        start = end


def _is_full(text: str, start: int, end: int, stop: int, size: int) -> bool:
    """Return whether a passage ends here, because the piece up to `stop` begins a new one."""
    length = end - start
    if length >= size or (length and stop - start > _FULL * size):
        return True
    if length < size // 3:
        return False
    is_after_blank = 3 * length > 2 * size and text.count("\n", max(0, end - 8), end) > 1
    return is_after_blank or text.startswith(_HEADINGS, end)


def asks(text: str) -> int:
    """Return the percentage of the sentences of a text that are short questions.

    A short question tells nothing; a long one mostly tells what it is about.
    """
    if "?" not in text and "？" not in text:
        return 0
    longest = _size(text) // _SHORT
    sentences = [text[start:end].rstrip(_CLOSING) for start, end in sentence_spans(text)]
    short = sum(each.endswith(("?", "？")) and len(each) <= longest for each in sentences)
    return 100 * short // len(sentences)


def whole_words(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield the text of each passage; a word across its end belongs to it as a whole.

    A text may have words that are longer than a passage, such as encoded data.
    """
    covered = 0
    for start, end in spans:
        begin = max(start, covered)
        if end > covered:  # else it is a part of a word whose end is known
            beside = text[end - 1 : end + 1] if end < len(text) else ""
            across = beside.isalnum() and max(beside) < _UNSPACED
            space = _SPACE.search(text, end) if across else None
            covered = space.start() if space else end
        yield text[begin:covered]
