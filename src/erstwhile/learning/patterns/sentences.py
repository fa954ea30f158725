"""Split a message of the user into the sentences that are the user's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from erstwhile.learning.turn import is_machine_text
from erstwhile.search.own_words import FILLER, own_part, own_words

LONGEST = 400
"""The longest sentence that is read. A longer one is too complex."""
SHORT_MESSAGE, MOST_STANDING = 300, 3
"""The characters and the sentences of a message that may give an instruction."""
_STRUCTURE = re.compile(
    r"^[ \t]*(?:[-*•·–—+#|>=]|\(?\d{1,2}[.)\]]|\(?[a-zA-Z]\)|[A-Z_]{3,}:|\[)", re.MULTILINE
)
"""The first characters of a line of a list, a table, a heading or a dialogue."""
_LABEL = re.compile(r"[:：](?![)(DPp/\\|*^\d-])(?!\w+:)")
_OWN_LABEL = re.compile(
    r"(?:^|[.!?\n。！？])[ \t]{0,3}(?:btw|fyi|ps|note|update|correction|remember|by the way"
    r"|please note|please remember|korrektur|übrigens|merk dir|nota|por cierto|recuerda|au fait"
    r"|à noter|rappel|对了|记住|请记住|更正|补充|提醒一下|注意|кстати|запомни)\s?$",
    re.IGNORECASE,
)
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"')\]]*+(?=\s|$)|[。！？]++|\n++")
_ABBREVIATED = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|corp|no|vs|approx|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec|e\.g|i\.e|etc|a\.m|p\.m|hr|fr|frau|herr|bzw|ca|z\.b|d\.h|geb|sra?|srta"
    r"|dra|ud|mme|mlle|m|dott|dottssa|sig|sigra|ing|avv|г|ул|д|им|т\.д)|(?<![^\W\d_])[A-Z]"
    r"|(?<!\w)\d{1,2})$",
    re.IGNORECASE,
)
"""The word before a full stop that ends no sentence; also an initial, and the number of a day."""
_MONTH_FOLLOWS = re.compile(r"\s[^\W\d_]")
_LETTER = re.compile(
    r"^\s*(?:dear|hi|hello|hallo|liebe[rs]?|sehr geehrte\w*|estimad[oa]s?|querid[oa]s?|ch[eè]re?s?"
    r"|car[oaie]|gentile|egregio|prezad[oa]s?|уважаем\w+|亲爱的|尊敬的)\s"
    r"[^\n,，:!]{1,40}[,，!]?[ \t]*\n"
    r"|\n[ \t]*(?:best|regards|kind regards|best regards|sincerely|yours|cheers|love"
    r"|mit freundlichen grüßen|viele grüße|liebe grüße|atentamente|saludos|cordialement"
    r"|bien à vous|cordiali saluti|atenciosamente|с уважением|此致|敬上)[ \t]*[,!.]?[ \t]*(?:\n|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OwnSentence:
    """A sentence of a message, and where it begins there."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """The sentences of a message that may be read."""

    sentences: tuple[OwnSentence, ...]
    is_short: bool
    """Whether all of the message is a few words of the user, without any mark."""


def own_message(text: str) -> OwnMessage:
    """Return the user's own sentences, up to the first sign of a list, a label or a letter."""
    if _LETTER.search(text):
        return OwnMessage((), is_short=False)
    own = own_words(text)
    start, end = own_part(text)
    end = min(end, _structure_starts(own), _label_starts(own))
    found = tuple(_sentences(own, start, end))
    whole = not start and end == len(text) and FILLER not in own and "\n" not in text.strip()
    short = whole and len(text) <= SHORT_MESSAGE and len(found) <= MOST_STANDING
    return OwnMessage(found, is_short=short)


def _structure_starts(text: str) -> int:
    found = _STRUCTURE.search(text)
    return found.start() if found else len(text)


def _label_starts(text: str) -> int:
    """Return the start of the sentence with the first label, such as "My sister wrote:"."""
    for found in _LABEL.finditer(text):
        if not _OWN_LABEL.search(text[max(0, found.start() - 40) : found.start()]):
            ends = [each.end() for each in _END.finditer(text, 0, found.start())]
            return ends[-1] if ends else 0
    return len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[OwnSentence]:
    """Yield the sentences of a part of a text, without those that contain a quotation."""
    for first, last in _spans(text, start, end):
        said = text[first:last]
        if FILLER in said or len(said) > LONGEST or is_machine_text(said):
            continue
        if said := said.strip():
            yield OwnSentence(text.index(said, first), said)


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _END.finditer(text, start, end):
        if not _is_abbreviation(text, start, found):
            yield start, found.end()
            start = found.end()
    yield start, end


def _is_abbreviation(text: str, start: int, found: re.Match[str]) -> bool:
    if found[0] != ".":
        return False
    before = _ABBREVIATED.search(text, max(start, found.start() - 12), found.start())
    number = before is not None and before[0].isdigit()
    return before is not None and (not number or bool(_MONTH_FOLLOWS.match(text, found.end())))
