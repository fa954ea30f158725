"""Split the own words of a message into sentences, without code, quotations and pasted text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from erstwhile.learning.prose import is_machine_text
from erstwhile.search.own_words import FILLER, own_part, own_words

LONGEST = 2_000
"""The longest sentence that is read."""
_END = re.compile(
    r"\s(?<=[.!?;]\s)(?<!\bSt\.\s)(?<!\bDr\.\s)(?<!\bMr\.\s)(?<!\bMs\.\s)(?<!\bMrs\.\s)"
    r"(?<!\be\.g\.\s)(?!(?<=\d\.\s)(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September"
    r"|Oktober|November|Dezember)\b)\s*|(?<=[。！？；])"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NAME = re.compile(rf"{FILLER}+")


def own_sentences(text: str) -> Iterator[str]:
    """Yield the sentences that a user wrote themself. A name in backticks is part of a sentence."""
    own = own_words(text)
    start, end = own_part(text, sure=True)
    own = _NAME.sub(lambda found: _restored(text, found), own)[start:end]
    for line in own.split("\n"):
        if not is_machine_text(line):
            for piece in _END.split(_BULLET.sub("", line)):
                sentence = " ".join(_CONTROL.sub(" ", piece).split())
                if 0 < len(sentence) <= LONGEST:
                    yield sentence


def _restored(text: str, found: re.Match[str]) -> str:
    quoted = text[found.start() : found.end()]
    return quoted if quoted[0] == "`" else found[0]
