"""Provenance: whose words a proposal rests on. Rules decide this; a model decides what they mean.

A model quotes the words of the turn that each proposal rests on. The quotation must be in the turn.
Words of the user count if the user wrote them: text that the user pasted or quoted, and text of
tools, is foreign. A turn that holds foreign text may still change a known fact, but only if the
user's own words name what changes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind, Origin, Trust
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.salience import is_small_talk
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.search.own_words import own_words, speaks_of_user
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
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?:^|\W)[وفبلك]")
"""A particle that Arabic joins to the next word: "and", "so", "in", "for", "as"."""
_DATE = re.compile(r"(?<!\d)(?:\d{4}(?:-\d\d){1,2}|(?:19|20)\d\d)(?!\d)")
_CODE = r"\b[A-Za-z_]++\d\w*|\b\d++[A-Za-z_]\w*"
_NAME = re.compile(rf"(?<=[^\s.!?:] )[A-Z][^\W_]+|{_CODE}|\b\d\d++", re.ASCII)
"""A capitalised word that does not begin a sentence, a code or a number."""
_IDENTIFIER = re.compile(rf"\b\w++(?:[./@:\\]\w++)+|{_CODE}|\b\d{{4,}}+", re.ASCII)
"""A path, an address, a code or a long number: nobody writes it in other words."""
_ITEM = re.compile(r"\s*(?:[-*•·–—+]|\(?\d{1,2}[.)\]]|\(?[a-zA-Z][.)])\s")
_LONGEST_HEARD = 20_000
"""The characters of a foreign text that are compared."""
_MOST = 0.65
"""The share of a quotation that must be the user's."""
_NEARLY_ALL = 0.9
"""The share of a quotation that counts as all of it."""
_NEARLY = 0.75
"""The share of a quotation's words that a sentence must have, if it is not quoted literally."""


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
        return Origin.LEARNED if self._is_within(own_text(self.line)) else Origin.DOCUMENT

    @property
    def is_doubtful(self) -> bool:
        """Whether the words may be somebody else's."""
        return not self._is_within(own_words(self.line.text).sure, _NEARLY_ALL)

    @property
    def is_listed(self) -> bool:
        """Whether the words begin the item of a list."""
        start = self.line.text.rfind("\n", 0, self.start) + 1
        return _ITEM.match(self.line.text, start) is not None

    def _is_within(self, left: str, share: float = _MOST) -> bool:
        """Return whether a share of the quoted letters is left in a text with blanks."""
        span = slice(self.start, self.end)
        return _letter_count(left[span]) >= share * _letter_count(self.line.text[span])

    @property
    def is_question(self) -> bool:
        """Whether the words are asked: a whole question, or one that does not speak of the user."""
        for found in _SENTENCE.finditer(self.line.text):
            if found.start() <= self.start and self.end <= found.end():
                whole = self.end - self.start > _NEARLY_ALL * len(found[0].strip())
                asked = _QUESTION.search(found[0]) is not None
                quoted = self.line.text[self.start : self.end]
                return asked and (whole or not speaks_of_user(quoted))
        return False


@dataclass(frozen=True, slots=True)
class Sources:
    """The words of a turn and of the conversation before it, by who wrote them."""

    own: frozenset[str]
    """The search terms of the user's own words in the turn; beside a tool's text, without those of
    questions: "is it DE11 or XX99?" does not say what a page then answers."""
    said: tuple[frozenset[str], ...]
    """The same, by sentence."""
    context: frozenset[str]
    """The terms of these words, of the conversation before and of the known facts."""
    assistant: tuple[frozenset[str], ...]
    """The terms of each sentence of the assistant in the turn."""
    foreign: tuple[frozenset[str], ...]
    """The terms of each sentence that a tool returned, or that the user pasted or quoted."""
    heard: frozenset[str]
    """The terms that such a text used before this turn, and before the user and the known facts."""
    is_mixed: bool
    """Whether there are foreign or doubtful words."""

    @classmethod
    @lru_cache(maxsize=4)  # all proposals of a turn need the same
    def of(cls, turn: Turn, known: tuple[str, ...]) -> Sources:
        """Return the words of a turn; `known` are the texts that the model was shown as facts."""
        before = (*turn.earlier, *turn.before)
        written = [own_words(line.text) for line in turn.lines if line.role is Role.USER]
        own = "\n".join(each.own for each in written)
        sure = "\n".join(each.sure for each in written)
        if any(not is_trusted(line) for line in (*before, *turn.lines)):
            own, named = _without_questions(own), _without_questions(sure)
        else:
            named = sure
        foreign = tuple(_terms_by_sentence(_foreign_texts((*before, *turn.lines))))
        earlier = [own_text(line) for line in before if is_trusted(line)]
        spoken = [line.text for line in turn.lines if line.role is Role.ASSISTANT]
        return cls(
            own=frozenset(terms(named)),
            said=tuple(_terms_by_sentence([own])),
            context=frozenset(terms("\n".join((own, *earlier, *known)))),
            assistant=tuple(_terms_by_sentence(spoken)),
            foreign=foreign,
            heard=_heard_first(before).difference(terms("\n".join(known))),
            is_mixed=bool(foreign) or any(each.own != each.sure for each in written),
        )

    def drawn_from_foreign(self, text: str) -> bool:
        """Return whether foreign text, and not the user, says the names or most words of a text."""
        words, names = _content(text), _names(text)
        unsaid = words - self.context
        for sentence in self.foreign:
            only = unsaid & sentence
            if only & names or len(only) > len(words & self.context):
                return True
        heard = names & self.heard
        return bool(heard) and not any(
            each & heard and each & (words - heard) for each in self.said
        )

    def drawn_from_assistant(self, text: str) -> bool:
        """Return whether only the assistant says an identifier or most words of a text."""
        words = _content(text)
        codes = frozenset(terms(" ".join(_IDENTIFIER.findall(_DATE.sub(" ", text)))))
        for sentence in self.assistant:
            if (codes - self.context) & sentence:
                return True
            if len((words - self.context) & sentence) > len(words & self.context):
                return True
        return False

    def names(self, text: str, known: Sequence[str] = ()) -> bool:
        """Return whether the user's own words name something of a text that is not known yet.

        A value that a stranger named first does not count.
        """
        old = frozenset(terms("\n".join(known)))
        return bool((frozenset(query_terms(text)) - old - self.heard) & self.own)

    def names_most(self, text: str) -> bool:
        """Return whether the user's own words name half of what a text says, or more."""
        words = frozenset(query_terms(text))
        return 2 * len(words & self.own - self.heard) >= len(words)


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
    return own_words(line.text).own if line.role is Role.USER else line.text


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
    if candidate.kind is Kind.INSTRUCTION and (candidate.unnamed_change or place.is_listed):
        return candidate.hold("provenance/instruction", "it may not be the user's own instruction")
    if is_small_talk(place.line.text) and not _is_asked(candidate, turn):
        return candidate.hold("provenance/unasked", "the user agreed to something else")
    return candidate


def _is_unnamed(
    candidate: Candidate, place: _Place, sources: Sources, known: Sequence[Fact]
) -> bool:
    """Return whether others may be behind a change that the user's own words do not name."""
    if place.is_doubtful or place.is_question:
        return True
    if not sources.is_mixed:
        return False
    if candidate.ends:
        return not sources.names_most(candidate.text)
    old = [fact.text for fact in known if fact.id in candidate.replaces]
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


def _foreign_texts(lines: Iterable[TurnLine]) -> Iterator[str]:
    for line in lines:
        if not is_trusted(line):
            yield line.text
        elif line.role is Role.USER:
            pairs = zip(line.text, own_text(line), strict=True)
            yield "".join(char if left != char else " " for char, left in pairs)


def _heard_first(lines: Sequence[TurnLine]) -> frozenset[str]:
    """Return the terms that foreign text used before the user did."""
    said, heard = set[str](), set[str]()
    for line in lines:
        if line.role is Role.USER:
            said.update(set(terms(own_text(line))) - heard)
        for text in _foreign_texts([line]):
            heard.update(set(terms(text[:_LONGEST_HEARD])) - said)
    return frozenset(heard)


def _terms_by_sentence(texts: Iterable[str]) -> Iterator[frozenset[str]]:
    for found in _SENTENCE.finditer("\n".join(text[:_LONGEST_HEARD] for text in texts)):
        if words := frozenset(terms(found[0])):
            yield words


def _content(text: str) -> frozenset[str]:
    return frozenset(query_terms(_DATE.sub(" ", text)))


def _names(text: str) -> frozenset[str]:
    return frozenset(terms(" ".join(_NAME.findall(_DATE.sub(" ", text)))))


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
