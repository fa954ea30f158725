"""From a turn to candidates: the user's own sentences, their clauses, and the rules for these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.own_speech import is_own_speech
from erstwhile.learning.patterns.language import PatternLanguage, languages_in, languages_of
from erstwhile.learning.patterns.statement import Clause, date_text, statement_at
from erstwhile.learning.salience import stands_alone
from erstwhile.learning.turn import Turn, TurnLine, is_machine_text
from erstwhile.search.dates import date_words, read_date
from erstwhile.search.marked_text import quotations
from erstwhile.search.own_words import own_words
from erstwhile.search.passages import sentence_spans

MAX_CLAUSES = 8
MAX_MESSAGE = 20_000
_QUESTION_MARKS = ("?", "？")
MAX_SENTENCE = 400
"""The longest sentence that is read. A longer one is too complex."""
MAX_STANDING = 3
"""The most sentences of a message that may give an instruction."""
_STRUCTURE = re.compile(
    r"^[ \t]*(?:[-*•·–—+#|>=]|\(?\d{1,2}[.)\]]|\(?[a-zA-Z]\)|[A-Z_]{3,}:|\[)", re.MULTILINE
)
"""The first characters of a line of a list, a table, a heading or a dialogue."""


def candidates(turn: Turn) -> list[Candidate]:
    """Return the statements of users about themselves, their family, their work and wishes."""
    before = [line for line in turn.before if line.role is Role.USER][-1:]
    known = [each for line in before for each in _line_candidates(line, turn.said_at, ())]
    found = list[Candidate]()
    for line in turn.lines:
        if line.role is Role.USER:
            found += _line_candidates(line, turn.said_at, (*known, *found))
    return _last_said(found)


def _line_candidates(line: TurnLine, now: datetime, known: Sequence[Candidate]) -> list[Candidate]:
    """Return what a message states; `known` is what its corrections may be about."""
    possible = languages_in(line.text[:MAX_MESSAGE])
    if len(line.text) > MAX_MESSAGE or any(each.withheld.search(line.text) for each in possible):
        return []
    message, found = own_message(line.text), list[Candidate]()

    def states(sentence: OwnSentence) -> bool:
        languages = languages_of(sentence.text, line.text)
        return any(True for each in languages for _ in _statements(sentence, each, now))

    for at, sentence in enumerate(message.sentences):
        languages, before = languages_of(sentence.text, line.text), len(found)
        if any(each.reported.search(sentence.text) for each in languages):
            break
        for language in languages:
            standing = message.is_short and not language.once.search(line.text)
            stated = list(_statements(sentence, language, now, standing=standing))
            corrected = _corrected(sentence.text, language, now, (*known, *found))
            told = (*stated, *corrected)
            goes_on = bool(told) and any(map(states, message.sentences[at + 1 : at + 2]))
            found += _told(line, sentence, told, found, goes_on=goes_on)
            if stated or corrected:
                break
        if (
            before
            and before == len(found)
            and any(
                each.correction.match(sentence.text) or each.meant.match(sentence.text)
                for each in possible
            )
        ):
            return []  # it takes back something that is unclear
    retracted = any(each.retracted.search(line.text) for each in possible)
    return [each for each in found if each.corrects] if retracted else found


def _told(
    line: TurnLine,
    sentence: OwnSentence,
    found: Sequence[Candidate],
    before: Sequence[Candidate],
    *,
    goes_on: bool,
) -> Iterator[Candidate]:
    """Yield what a sentence states, with its source, if it is the user's own plain speech.

    `goes_on` is whether the next sentence states something, too.

    A correction of what the user said before needs no such proof, but retires nothing stated.
    """
    start, end = sentence.start, sentence.start + len(sentence.text)
    told = bool(before) and line.text[:start].rstrip().endswith(before[-1].quote)
    own = bool(found) and is_own_speech(line.text, start, end, after_own=told, before_own=goes_on)
    for each in found:
        if own or each.corrects:
            yield replace(
                each, quote=line.text[start:end], messages=(line.message,), origin=line.origin,
                in_own_speech=own,
            )  # fmt: skip


def _statements(
    sentence: OwnSentence, language: PatternLanguage, now: datetime, *, standing: bool = False
) -> Iterator[Candidate]:
    """Yield what the clauses of a sentence state, each rule once."""
    text = _asserted(sentence.text, language)
    if not text or language.doubt.search(text):
        return
    places = list(_clauses(text, language))
    for rule in language.rules:
        meaning = rule.meaning
        if meaning.standing and not standing:
            continue
        for place in places[:1] if meaning.anywhere or meaning.standing else places:
            if found := statement_at(rule, text, place, language, now):
                yield found
                break


def _asserted(text: str, language: PatternLanguage) -> str:
    """Return the part of a sentence before a question; nothing if all of it asks."""
    if not text.rstrip().endswith(_QUESTION_MARKS):
        return "" if language.asks.match(text) else text
    found = language.question.search(text)
    return text[: found.start()] if found and not language.asks.match(text) else ""


def _clauses(text: str, language: PatternLanguage) -> Iterator[Clause]:
    """Yield the places where a clause begins, behind words that do not change it."""
    starts = islice(language.clause.finditer(text), MAX_CLAUSES)
    for place in (0, *(found.end() for found in starts)):
        opening = language.opening.match(text, place)
        yield Clause(place, opening.end() if opening else place)


def _corrected(
    sentence: str, language: PatternLanguage, now: datetime, known: Sequence[Candidate]
) -> list[Candidate]:
    """Return the last known statement with the value that the sentence corrects."""
    found = language.meant.match(sentence)
    if found is None:
        return []
    groups = found.groupdict("")
    old, value = groups.get("old") or groups.get("was", ""), groups["value"] or groups.get("is", "")
    for each in reversed(known):
        new = _as_value(each, value, language, now)
        if new and each.slot and (each.slot == old if old else new != each.slot):
            corrected = replace(
                each, text=each.text.replace(each.slot, new), value=new if each.key else None,
                slot=new, corrects=True, changes=False, instead_of=(each.slot,), entities=(),
            )  # fmt: skip
            return [corrected]
    return []


def _as_value(known: Candidate, value: str, language: PatternLanguage, now: datetime) -> str:
    """Return a corrected value in the form of the known one; nothing if it is of another kind."""
    if known.key == "birthday":
        date = read_date(value, date_words(language.name), now)
        form = "birth_date" if date and date.has_year else "birthday"
        return date_text(date, language, form) if date and date.unit == "day" else ""
    if language.not_value.search(value):
        return ""
    old = known.slot
    alike = (old[:1].isupper(), old.isdigit()) == (value[:1].isupper(), value.isdigit())
    return value if alike else ""


def _last_said(found: Sequence[Candidate]) -> list[Candidate]:
    """Return each statement once, without a value that a later sentence changes or corrects."""
    kept = list({each.text: each for each in reversed(found)}.values())[::-1]
    return [
        each
        for at, each in enumerate(kept)
        if not any(_replaces(later, each) for later in kept[at + 1 :])
    ]


def _replaces(later: Candidate, each: Candidate) -> bool:
    if each.ends or later.ends:
        return False
    same_key = later.key is not None and later.key == each.key and (later.changes or later.corrects)
    return same_key or (later.corrects and each.slot in later.instead_of and bool(each.slot))


class OwnSentence(NamedTuple):
    """A sentence of a message, and where it begins there."""

    start: int
    text: str


class OwnMessage(NamedTuple):
    """The sentences of a message that may be read."""

    sentences: tuple[OwnSentence, ...]
    is_short: bool
    """Whether all of the message is a few words of the user, without any mark."""


def own_message(text: str) -> OwnMessage:
    """Return the user's own sentences, up to the first sign of a list."""
    read = own_words(text)
    own = read.proven.replace("’", "'")
    structure = _STRUCTURE.search(own)
    found = tuple(_own_sentences(own, structure.start() if structure else len(own)))
    short = read.is_plain and len(found) <= MAX_STANDING and stands_alone(text)
    return OwnMessage(found, is_short=short)


def _own_sentences(text: str, end: int) -> Iterator[OwnSentence]:
    """Yield the sentences of a text, without those that contain a quotation."""
    quoted = [start for start, _ in quotations(text)]
    for first, last in sentence_spans(text, 0, end):
        said = text[first:last]
        if len(said) > MAX_SENTENCE or is_machine_text(said):
            continue
        if any(first <= start < last for start in quoted):
            continue
        if said := said.strip():
            yield OwnSentence(text.index(said, first), said)
