"""Provenance: whose words a proposal rests on. Rules decide this; a model decides what they mean.

A model quotes the words of the turn that each proposal rests on. The quotation must be in the turn.
Words of the user count if the user wrote them: text that the user pasted or quoted, and text of
tools, is foreign. A turn that holds foreign text may still change a known fact, but only if the
user's own words name what changes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Origin, Trust
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.salience import is_small_talk
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.search.own_words import FILLER, own_part, own_words
from erstwhile.search.terms import is_unspaced, query_terms, terms

MOST_PLACES = 5
"""The most places of a quotation in one message that are examined."""
_GAP = re.compile(r"(?:(?<!\s)\s++)?(?:…|\.{3,}|\[(?:…|\.{3})\]|\((?:…|\.{3})\))\s*")
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=[^\s.]))++[.!?。！？]*+")
_QUESTION = re.compile(r"[?？؟][\s\W]*$")
_WHETHER = re.compile(
    r"\b(?:whether|if|ob|falls|si|czy|ли|если)\b|是否|还是|如果|かどうか|もし|인지", re.IGNORECASE
)
"""A word that introduces an indirect question or a condition."""
_QUOTATION = re.compile(f"{FILLER}+")
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?:^|\W)[وفبلك]")
"""A particle that Arabic joins to the next word: "and", "so", "in", "for", "as"."""
_DATE = re.compile(r"(?<!\d)(?:\d{4}(?:-\d\d){1,2}|(?:19|20)\d\d)(?!\d)")
_CODE = r"\b[A-Za-z_]++\d\w*|\b\d++[A-Za-z_]\w*"
_NAME = re.compile(rf"(?<=[^\s.!?:] )[A-Z][^\W_]+|{_CODE}|\b\d\d++", re.ASCII)
"""A capitalised word that does not begin a sentence, a code or a number."""
_IDENTIFIER = re.compile(rf"\b\w++(?:[./@:\\]\w++)+|{_CODE}|\b\d{{4,}}+", re.ASCII)
"""A path, an address, a code or a long number: nobody writes it in other words."""
_NEARLY = 0.75
"""The share of a quotation's words that a sentence must have, if it is not quoted literally."""
_TERM_WORDS, _TITLE_WORDS, _TERM_SIGNS = 4, 12, 12
"""The longest term and the longest title in quotation marks, in words; in unspaced scripts, in
characters. A longer quotation is somebody's statement."""


class _Place(NamedTuple):
    """The place of a quotation in a message."""

    line: TurnLine
    start: int
    end: int

    @property
    def origin(self) -> Origin:
        """Whose words stand at this place; pasted or quoted text is a document."""
        if self.line.role is not Role.USER:
            return self.line.origin
        written = _letter_count(self.line.text[self.start : self.end])
        own = _letter_count(own_text(self.line)[self.start : self.end])
        return Origin.LEARNED if 2 * own >= written else Origin.DOCUMENT

    @property
    def sentence(self) -> str:
        """The sentence around the quotation."""
        for found in _SENTENCE.finditer(self.line.text):
            if found.end() >= self.end:
                return found[0]
        return self.line.text


@dataclass(frozen=True, slots=True)
class Sources:
    """The words of a turn and of the exchange before it, by who wrote them."""

    own: frozenset[str]
    """The search terms of the user's own words in the turn; beside a tool's text, without those of
    questions: "is it DE11 or XX99?" does not say what a page then answers."""
    context: frozenset[str]
    """The terms of these words, of the exchange before and of the known facts."""
    assistant: frozenset[str]
    """The terms of what only the assistant says in the turn."""
    foreign: tuple[frozenset[str], ...]
    """The terms of each sentence that a tool returned, or that the user pasted or quoted."""

    @classmethod
    @lru_cache(maxsize=4)  # all proposals of a turn need the same
    def of(cls, turn: Turn, known: tuple[str, ...]) -> Sources:
        """Return the words of a turn; `known` are the texts that the model was shown as facts."""
        own = "\n".join(own_text(line) for line in turn.lines if line.role is Role.USER)
        sentences = _SENTENCE.finditer("\n".join(_foreign_texts(turn)))
        foreign = tuple(filter(None, (frozenset(terms(each[0])) for each in sentences)))
        tools = any(not is_trusted(line) for line in (*turn.before, *turn.lines))
        said = _without_questions(own) if tools else own
        before = (own_text(line) for line in turn.before if is_trusted(line))
        context = "\n".join((said, *before, *known))
        return cls(
            own=frozenset(terms(said)),
            context=frozenset(terms(context)),
            assistant=frozenset(terms(turn.spoken_by(Role.ASSISTANT))).difference(terms(own)),
            foreign=foreign,
        )

    def drawn_from_foreign(self, text: str) -> bool:
        """Return whether foreign text, and not the user, says the names or most words of a text."""
        words = frozenset(query_terms(_DATE.sub(" ", text)))
        names = frozenset(terms(" ".join(_NAME.findall(_DATE.sub(" ", text)))))
        unsaid = words - self.context
        for sentence in self.foreign:
            only = unsaid & sentence
            if only & names or len(only) > len(words & self.context):
                return True
        return False

    def drawn_from_assistant(self, text: str) -> bool:
        """Return whether only the assistant says an identifier of a text, such as an account."""
        codes = frozenset(terms(" ".join(_IDENTIFIER.findall(_DATE.sub(" ", text)))))
        return bool((codes - self.context) & self.assistant)

    def names(self, text: str, known: Sequence[str] = ()) -> bool:
        """Return whether the user's own words name something of a text that is not known yet."""
        old = frozenset(terms("\n".join(known)))
        return bool((frozenset(query_terms(text)) - old) & self.own)


def with_provenance(candidate: Candidate, turn: Turn, known: Sequence[Fact]) -> Candidate:
    """Return the proposal of a model with its origin, held if the user did not say it."""
    place = _find(candidate.quote, turn)
    if place is None:
        only_before = any(True for line in turn.before for _ in _places(candidate.quote, line))
        reason = "only the exchange before says it" if only_before else "the turn does not say it"
        return candidate.hold("provenance/unquoted", reason)
    sources = Sources.of(turn, tuple(fact.text for fact in known))
    found = replace(
        candidate,
        quote=place.line.text[place.start : place.end],
        messages=(place.line.message,),
        origin=_origin(candidate, place, sources),
        unnamed_change=_is_unnamed(candidate, place, sources, known),
    )
    return _hold_if_foreign(found, place, turn)


def own_text(line: TurnLine) -> str:
    """Return the text of a line; in a user's line, with spaces in place of foreign text."""
    return _without_foreign(line.text) if line.role is Role.USER else line.text


def is_trusted(line: TurnLine) -> bool:
    """Return whether a line is the user's, or the assistant's before any tool spoke."""
    return line.origin.trust is not Trust.QUARANTINED


def _origin(candidate: Candidate, place: _Place, sources: Sources) -> Origin:
    if place.origin is not Origin.LEARNED or candidate.ends:
        return place.origin
    if sources.drawn_from_foreign(candidate.text):
        return Origin.TOOL
    return Origin.AGENT if sources.drawn_from_assistant(candidate.text) else Origin.LEARNED


def _hold_if_foreign(candidate: Candidate, place: _Place, turn: Turn) -> Candidate:
    if candidate.origin is Origin.DOCUMENT:
        return candidate.hold("provenance/pasted", "it stands in a text that the user passed on")
    if candidate.origin.trust is Trust.QUARANTINED:
        return candidate.hold("provenance/tool", "a tool or a pasted text said it, not the user")
    if candidate.origin is Origin.AGENT:
        return candidate.hold("provenance/assistant", "only the assistant said it")
    if is_small_talk(place.line.text) and not _is_asked(candidate, turn):
        return candidate.hold("provenance/unasked", "the user agreed to something else")
    return candidate


def _is_unnamed(
    candidate: Candidate, place: _Place, sources: Sources, known: Sequence[Fact]
) -> bool:
    """Return whether others may be behind a change that the user's own words do not name."""
    quoted = place.line.text[place.start : place.end]
    if _QUESTION.search(place.sentence) and len(quoted) > 0.9 * len(place.sentence.strip()):
        return True  # the whole question
    if not sources.foreign:
        return False
    old = [fact.text for fact in known if fact.id in candidate.replaces]
    if candidate.ends:
        return not sources.names(candidate.text)
    return not sources.names(candidate.value or candidate.text, old)


def _is_asked(candidate: Candidate, turn: Turn) -> bool:
    """Return whether the question that the user answers names what the candidate says."""
    asked = [line.text for line in turn.before if line.role is Role.ASSISTANT]
    questions = [each[0] for text in asked[-1:] for each in _SENTENCE.finditer(text)]
    words = frozenset(terms(questions[-1])) if questions else frozenset()
    names = frozenset(terms(" ".join(_NAME.findall(candidate.text))))
    return names <= words if names else bool(frozenset(query_terms(candidate.text)) & words)


def _without_questions(text: str) -> str:
    sentences = (each[0] for each in _SENTENCE.finditer(text))
    return "\n".join(
        each for each in sentences if not (_QUESTION.search(each) or _WHETHER.search(each))
    )


def _foreign_texts(turn: Turn) -> Iterator[str]:
    for line in (*turn.before, *turn.lines):
        if not is_trusted(line):
            yield line.text
        elif line.role is Role.USER:
            pairs = zip(line.text, own_text(line), strict=True)
            yield "".join(char if left != char else " " for char, left in pairs)


@lru_cache(maxsize=64)
def _without_foreign(text: str) -> str:
    """Return the user's own words at their places: no pasted text, and no quoted statements."""
    start, end = own_part(text, sure=True)

    def without_statement(found: re.Match[str]) -> str:
        quoted = text[found.start() : found.end()]
        return " " * len(quoted) if _is_statement(quoted) else found[0]

    marked = _QUOTATION.sub(without_statement, own_words(text))
    kept = (
        char if start <= at < end and left != " " else " "
        for at, (char, left) in enumerate(zip(text, marked, strict=True))
    )
    return "".join(kept)


def _is_statement(quoted: str) -> bool:
    """Return whether a quotation is longer than a title, a name or a term."""
    if is_unspaced(quoted):
        return len(quoted) > _TERM_SIGNS
    words = _WORD.findall(quoted)
    long = [word for word in words if len(word) > 3]
    if sum(word[0].isupper() or word[0].isdigit() for word in long) * 2 > len(long):
        return len(words) > _TITLE_WORDS
    return len(words) > _TERM_WORDS or (len(words) > 2 and quoted.rstrip("\"'”’»`")[-1:] in ".!?")


def _find(quote: str, turn: Turn) -> _Place | None:
    """Return the place of a quotation, in the words of the most trusted speaker."""
    user = [line for line in turn.lines if line.role is Role.USER]
    others = [line for line in turn.lines if line.role is not Role.USER and _may_have(quote, line)]
    for find in (_places, _nearly):
        found = [place for line in user for place in find(quote, line)]
        if not any(place.origin is Origin.LEARNED for place in found):
            found += [place for line in others for place in find(quote, line)]
        if found:
            return min(found, key=_distrust)
    return None


def _distrust(place: _Place) -> int:
    """Return 0 for words of the user, 1 for the assistant's, 2 for foreign ones."""
    origin = place.origin
    return 2 if origin.trust is Trust.QUARANTINED else int(origin is Origin.AGENT)


def _may_have(quote: str, line: TurnLine) -> bool:
    """Return whether a line has a word of a quotation; most tool outputs have none."""
    words, text = (unicodedata.normalize("NFKC", each).casefold() for each in (quote, line.text))
    return any(word in text for word in _WORD.findall(words))


def _places(quote: str, line: TurnLine) -> Iterator[_Place]:
    """Yield where a message has a quotation; its parts if the model left words out."""
    parts = [part for part in _GAP.split(quote.strip()) if part]
    if len(parts) == 1:
        for start, end in islice(_occurrences(parts[0], line.text), MOST_PLACES):
            yield _Place(line, start, end)
    elif parts and (span := _in_order(parts, line.text)):
        yield _Place(line, *span)


def _nearly(quote: str, line: TurnLine) -> Iterator[_Place]:
    """Yield the sentence that has most words of a quotation with other words in it."""
    wanted = frozenset(query_terms(quote))
    if len(wanted) < 2:
        return
    for found in _SENTENCE.finditer(line.text):
        if len(wanted.intersection(terms(found[0]))) >= _NEARLY * len(wanted):
            yield _Place(line, *found.span())


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
