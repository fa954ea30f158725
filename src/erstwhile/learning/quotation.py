"""The place of a quotation in a turn: where the words stand that a proposal rests on.

A model may leave words out of a quotation, or write them with other accents and spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Origin, Trust
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.search.marked_text import begins_list_item
from erstwhile.search.own_words import own_words
from erstwhile.search.speech import points, speaks_of_user
from erstwhile.search.terms import is_unspaced, query_terms, terms

MAX_PLACES = 5
"""The most places of a quotation in one message that are examined."""
_GAP = re.compile(r"(?:(?<!\s)\s++)?(?:…|\.{3,}|\[(?:…|\.{3})\]|\((?:…|\.{3})\))\s*")
SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=[^\s.]))++[.!?。！？]*+")
QUESTION = re.compile(r"[?？؟][\s\W]*$")
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?:^|\W)[وفبلك]")
"""A particle that Arabic joins to the next word: "and", "so", "in", "for", "as"."""
_COMMA = re.compile("[,،，、;；]")
_MATTER = 2
"""The least terms of a question about a matter of its own."""
_MAX_SHARE = 0.65
"""The share of a quotation that must be the user's."""
_NEARLY_ALL = 0.9
"""The share of a quotation that counts as all of it."""
_NEARLY = 0.75
"""The share of a quotation's words that a sentence must have, if it is not quoted literally."""


class Quotation(NamedTuple):
    """The place of a quotation in a message."""

    line: TurnLine
    start: int
    end: int

    @property
    def origin(self) -> Origin:
        """Whose words stand at this place; pasted or quoted text is a document."""
        if self.line.role is not Role.USER:
            return self.line.origin
        return Origin.LEARNED if self._is_within(own_text(self.line)) else Origin.DOCUMENT

    @property
    def is_doubtful(self) -> bool:
        """Whether the words may be somebody else's."""
        return not self._is_within(own_words(self.line.text).sure, _NEARLY_ALL)

    @property
    def is_listed(self) -> bool:
        """Whether the words begin the item of a list."""
        start = self.line.text.rfind("\n", 0, self.start) + 1
        return begins_list_item(self.line.text, start)

    def _is_within(self, left: str, share: float = _MAX_SHARE) -> bool:
        """Return whether a share of the quoted letters is left in a text with blanks."""
        span = slice(self.start, self.end)
        return _letter_count(left[span]) >= share * _letter_count(self.line.text[span])

    @property
    def is_question(self) -> bool:
        """Whether the words are asked: a whole question, or one that does not speak of the user."""
        for found in SENTENCE.finditer(self.line.text):
            if found.start() <= self.start and self.end <= found.end():
                whole = self.end - self.start > _NEARLY_ALL * len(found[0].strip())
                asked = QUESTION.search(found[0]) is not None
                clause = re.split("[:：]", found[0])[-1]
                leads = self.start == found.end() - len(found[0].lstrip())
                leads = leads and _asks(self.line.text[self.end : found.end()])
                return asked and (whole or not (leads or speaks_of_user(clause)))
        return False


def _asks(behind: str) -> bool:
    """Return whether the clause behind a statement asks about another matter than its words."""
    clause = _COMMA.search(behind)
    asked = behind[clause.end() :] if clause else ""
    return not points(asked) and len(query_terms(asked)) >= _MATTER


def own_text(line: TurnLine) -> str:
    """Return the text of a line; in a user's line, with spaces in place of foreign text."""
    return own_words(line.text).own if line.role is Role.USER else line.text


def find(quote: str, turn: Turn) -> Quotation | None:
    """Return the place of a quotation, in the words of the most trusted speaker."""
    user = [line for line in turn.lines if line.role is Role.USER]
    others = [line for line in turn.lines if line.role is not Role.USER and _may_have(quote, line)]
    for search in (places, _nearly):
        found = [place for line in user for place in search(quote, line)]
        if not any(place.origin is Origin.LEARNED for place in found):
            found += [place for line in others for place in search(quote, line)]
        if found:
            return min(found, key=_distrust)
    return None


def _distrust(place: Quotation) -> int:
    """Return 0 for words of the user, 1 for the assistant's, 2 for foreign ones."""
    origin = place.origin
    return 2 if origin.trust is Trust.QUARANTINED else int(origin is Origin.AGENT)


def _may_have(quote: str, line: TurnLine) -> bool:
    """Return whether a line has a word of a quotation; most tool outputs have none."""
    words, text = (unicodedata.normalize("NFKC", each).casefold() for each in (quote, line.text))
    return any(word in text for word in _WORD.findall(words))


def places(quote: str, line: TurnLine) -> Iterator[Quotation]:
    """Yield where a message has a quotation; its parts if the model left words out."""
    parts = [part for part in _GAP.split(quote.strip()) if part]
    if len(parts) == 1:
        for start, end in islice(_occurrences(parts[0], line.text), MAX_PLACES):
            yield Quotation(line, start, end)
    elif parts and (span := _in_order(parts, line.text)):
        yield Quotation(line, *span)


def _nearly(quote: str, line: TurnLine) -> Iterator[Quotation]:
    """Yield the sentence that has most words of a quotation with other words in it."""
    wanted = frozenset(query_terms(quote))
    if len(wanted) < 2:
        return
    for found in SENTENCE.finditer(line.text):
        if len(wanted.intersection(terms(found[0]))) >= _NEARLY * len(wanted):
            yield Quotation(line, *found.span())


def _in_order(parts: Sequence[str], text: str) -> tuple[int, int] | None:
    """Return the span from the first to the last part; None if one is missing."""
    spans, at = list[tuple[int, int]](), 0
    for part in parts:
        span = next(_occurrences(part, text, at), None)
        if span is None:
            return None
        spans.append(span)
        at = span[1]
    return spans[0][0], spans[-1][1]


def _occurrences(quote: str, text: str, at: int = 0) -> Iterator[tuple[int, int]]:
    """Yield each place of some words, regardless of case, spacing, punctuation and accents."""
    wanted, _ = _letters(quote)
    letters, origins = _letters(text)
    found = letters.find(wanted) if wanted else -1
    while found >= 0:
        start, end = origins[found], origins[found + len(wanted) - 1] + 1
        if start >= at and _is_between_words(text, start) and _is_between_words(text, end):
            yield start, end
        found = letters.find(wanted, found + len(wanted))


@lru_cache(maxsize=16)
def _letters(text: str) -> tuple[str, Sequence[int]]:
    """Return the letters and digits in one form, and where in the text each of them stands."""
    kept = [(each, at) for at, char in enumerate(text) for each in _base_letters(char)]
    return "".join(each for each, _ in kept), [at for _, at in kept]


@lru_cache(maxsize=8_192)
def _base_letters(char: str) -> str:
    """Return a character without case, width and accents; empty if it is no letter or digit.

    A vowel sign of an Indic script belongs to the word, an accent does not.
    """
    base = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char).casefold())
    return "".join(
        each
        for each in base
        if each.isalnum() or (each > "\u036f" and unicodedata.category(each).startswith("M"))
    )


def _is_between_words(text: str, at: int) -> bool:
    """Return whether a place lies between two words: "art" is not in "start"."""
    beside = text[max(0, at - 1) : at + 1]
    if len(beside) < 2 or not beside.isalnum() or is_unspaced(beside):
        return True
    return _JOINED.fullmatch(text, max(0, at - 2), at) is not None


def _letter_count(text: str) -> int:
    return sum(char.isalnum() for char in text)
