"""Cut a text into sentences, and a sentence into clauses, by the signs of many scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from erstwhile.learning.moods.signs import LONGEST, Sign

_STOP = re.compile(r"(?P<marks>[.!?。！？؟‽。｡;；;։।॥።؛]+|\n)[\"'”’»」』)\]*_]*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:st|dr|mr|mrs|ms|prof|vs|e\.g|i\.e|approx|nr|ca|bzw|sr|sra|mme|inc|ltd|jr|ave|z\. ?b"
    r"|d\. ?h|u\.s|u\.k|p\.m|a\.m|p\.ej|etc)|(?<!\w)[^\W\d])$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*(?=[^\W\d_])(?:[a-zà-öø-ÿа-яα-ω]|[をとはがのにも])")
"""A sentence after a quotation goes on: with a small letter, or with a Japanese particle."""
_LONGEST_ABBREVIATION = 8
_WORD = re.compile(r"\w")
_WHOLE_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_FEW_WORDS = 3
_SEPARATOR = re.compile(
    r"(?<!\d)[,、，]|[,、，،](?!\d)|[;；:：()（）\[\]—–…]|\.\.+|\s-{1,3}(?=\s)|\n"
    r"|(?<=[\u3040-\u30ff\u3400-\u9fff])[ \u3000](?=[\u3040-\u30ff\u3400-\u9fff])"
    r"|(?<=[\u0e00-\u0e7f]) (?=[\u0e00-\u0e7f])"
    r"|[ㅋㅎㅠㅜ]{2,9}|[\U0001F300-\U0001FAFF]|(?<=\s)[:;]['’]?-?[()D]+(?=\s)"
)
"""What separates clauses: marks, a space in scripts without spaces, laughter and emoji."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sentence or a clause: its place in the whole text, and its words."""

    start: int
    end: int
    text: str


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentences that the text from start to end is in."""
    around = sentences_around(text, start, end)
    return text[around[0].start : around[-1].end].strip() if around else ""


def clauses_around(text: str, start: int, end: int) -> str:
    """Return the clauses that the text from start to end is in, with those that continue them."""
    end = max(end, start + 1)
    kept = list[str]()
    for sentence in sentences_around(text, start, end):
        for clause in clauses(sentence):
            touched = clause.start < end and clause.end > start
            if touched or (kept and clause.start >= end and continues(clause.text)):
                kept.append(clause.text)
            elif kept and clause.start >= end:
                break
    return "".join(kept).strip()


def sentences_around(text: str, start: int, end: int) -> list[Stretch]:
    """Return the sentences that touch the text from start to end."""
    return [
        each for each in sentences(text) if each.start < max(end, start + 1) and each.end > start
    ]


def sentences(text: str) -> Iterator[Stretch]:
    """Yield the sentences of a text. A sentence without an end is cut."""
    start = 0
    for end in (*_ends(text), len(text)):
        for first in range(start, end, LONGEST):
            last = min(first + LONGEST, end)
            if _WORD.search(text, first, last):
                yield Stretch(first, last, text[first:last])
        start = end


def _ends(text: str) -> Iterator[int]:
    """Yield the places where a sentence ends: at marks with a word before them."""
    word = _WORD.search(text)
    for found in _STOP.finditer(text):
        if word and word.start() < found.start() and _ends_sentence(text, found):
            yield found.end()
            word = _WORD.search(text, found.end())


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    marks, after = found["marks"], text[found.end() : found.end() + 1]
    if found.end() > found.end("marks") and _GOES_ON.match(text, found.end()):
        return False  # the end of a quotation inside a sentence
    if marks == "\n":
        return not _is_soft_break(text, found)
    if not marks.isascii():
        return True
    if after.isalnum() and after.isascii() and not ("." not in marks and after.isupper()):
        return False  # a file name, a number, an address
    if set(marks) == {"."}:
        before = text[max(0, found.start() - _LONGEST_ABBREVIATION) : found.start()]
        return len(marks) == 1 and not _ABBREVIATION.search(before)
    return True


def _is_soft_break(text: str, found: re.Match[str]) -> bool:
    """Return whether a line goes on in the next one, which then begins with a small letter."""
    return (
        text[found.start() - 1 : found.start()].isalnum()
        and text[found.end() : found.end() + 1].islower()
    )


def clauses(sentence: Stretch) -> list[Stretch]:
    """Return the clauses of a sentence: cut at separators and before the words that open one."""
    text = sentence.text
    cuts = {0, len(text)}
    cuts.update(found.end() for found in _SEPARATOR.finditer(text))
    cuts.update(start for start, _ in Sign.OPENS_CLAUSE.spans(text))
    cuts.update(end for _, end in Sign.CLOSES_CLAUSE.spans(text))
    places = sorted(cuts)
    return [
        Stretch(sentence.start + first, sentence.start + last, text[first:last])
        for first, last in pairwise(places)
        if _WORD.search(text, first, last)
    ]


def continues(clause: str) -> bool:
    """Return whether a clause is too short to say something of its own: ", Portugal"."""
    unspaced = len(_UNSPACED.findall(clause))
    length = unspaced / 2 if unspaced else len(_WHOLE_WORD.findall(clause))
    return length <= _FEW_WORDS and not Sign.SPEAKER.is_in(clause)
