"""Tell the words of a user from the words of others in a message, by its structure.

People pass on texts in few ways, in any language: between marks (quotation marks, tags, fences), in
lines of another kind (mails, logs, programs), behind a label ("Eve: …", "Subject: …", "Translate:
…"), above a signature, or beside a question about the text ("… is this real?"). Such words are
foreign. Words beside weaker signs, such as a title above them, are doubtful: perhaps the user's.
A sentence that may speak of a text makes others unproven, which matters only to learning by rules.

Blanks in place of words keep the length, so that places in the result are places in the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeAlias

from erstwhile.search.introductions import (
    acted,
    asked_about,
    end_of_introduction,
    headed,
    introduced,
    listed,
    reported,
    titled,
)
from erstwhile.search.labels import labelled
from erstwhile.search.marked_text import (
    Span,
    chats,
    emphasised,
    encoded,
    foreign_lines,
    headings,
    marked,
    quoted_statements,
    signed,
    signed_off,
)
from erstwhile.search.speech import Grade

PLAIN_CHARS = 300
"""The most characters of a message that is nothing but a few plain words."""
_UNPLAIN = re.compile(
    r"[?？؟:：;\"“”„«»‹›「」『』《》＂`<>\[\](){}|=*#@/\\_~^$%&+•…]|\.\.\.|\s[-–—]\s?|https?|^\W|\d[.)]\s"
)
"""Marks that plain words of a person do not have."""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A message, with blanks in place of words that are not the user's."""

    text: str
    own: str
    """The message without foreign words."""
    sure: str
    """The message without foreign and doubtful words."""
    proven: str
    """The message without foreign, doubtful and unproven words."""

    @property
    def is_plain(self) -> bool:
        """Whether the message is nothing but a few words of the user, without any mark."""
        text = self.text.strip()
        short = len(text) <= PLAIN_CHARS and "\n" not in text
        return short and self.proven == self.text and _UNPLAIN.search(text) is None


@lru_cache(maxsize=64)
def own_words(text: str) -> OwnWords:
    """Return the user's own words in a message."""
    left, read = text.replace("\r", " "), list[str]()
    for finders in (_FOREIGN, _DOUBTFUL, _UNPROVEN):
        for find in finders:
            left = _blanked(left, _outside(find, left))
        read.append(_restored(text, left))
    return OwnWords(text, *read)


def _outside(find: _Finder, text: str) -> list[Span]:
    """Return the spans that a finder yields; of weak signs, those before an own introduction."""
    end = end_of_introduction(text) if find in _WEAK else len(text)
    return [(start, stop) for start, stop in find(text) if start < end]


def _restored(text: str, own: str) -> str:
    """Return the characters of a text that are left, with the line breaks between others."""
    pairs = zip(text, own, strict=True)
    return "".join(left if left in " \n" else char for char, left in pairs)


def _blanked(text: str, spans: Iterable[Span]) -> str:
    for start, end in spans:
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _blank(part: str) -> str:
    """Return spaces between line breaks, so that the text around them is not one sentence."""
    blank = [char if char == "\n" else " " for char in part]
    if blank:
        blank[0] = blank[-1] = "\n"
    return "".join(blank)


_Finder: TypeAlias = Callable[[str], Iterable[Span]]
_WEAK: tuple[_Finder, ...] = (
    headings,
    chats,
    partial(labelled, grade=Grade.FOREIGN, weak=True),
    partial(labelled, grade=Grade.DOUBTFUL, weak=True),
    titled,
    listed,
)
"""Signs that lists and plans of the user have, too."""
_FOREIGN: tuple[_Finder, ...] = (
    *(marked, signed, foreign_lines, quoted_statements, encoded),
    partial(labelled, grade=Grade.FOREIGN),
    *_WEAK[:3],
    *(headed, asked_about, partial(introduced, grade=Grade.FOREIGN)),
)
_DOUBTFUL: tuple[_Finder, ...] = (
    *(emphasised, signed_off, partial(labelled, grade=Grade.FOREIGN, weak=True)),
    partial(labelled, grade=Grade.DOUBTFUL),
    *_WEAK[3:],
    *(acted, reported, partial(introduced, grade=Grade.DOUBTFUL)),
)
_UNPROVEN: tuple[_Finder, ...] = (partial(introduced, grade=Grade.UNPROVEN),)
