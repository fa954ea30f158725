"""From a turn to candidates: the user's own sentences, their clauses, and the rules for these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from erstwhile.conversations.conversation import Role
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.patterns.dates import read_date
from erstwhile.learning.patterns.language import PatternLanguage, languages_in, languages_of
from erstwhile.learning.patterns.sentences import OwnSentence, own_message
from erstwhile.learning.patterns.statement import Clause, statement_at
from erstwhile.learning.turn import Turn, TurnLine

MOST_CLAUSES = 8
LONGEST_MESSAGE = 20_000
_QUESTION_MARKS = ("?", "？")


def candidates(turn: Turn) -> list[Candidate]:
    """Return the statements of users about themselves, their family, their work and wishes."""
    before = [line for line in turn.before if line.role is Role.USER][-1:]
    known = [each for line in before for each in _of_line(line, turn.said_at, ())]
    found = list[Candidate]()
    for line in turn.lines:
        if line.role is Role.USER:
            found += _of_line(line, turn.said_at, (*known, *found))
    return _last_said(found)


def _of_line(line: TurnLine, now: datetime, known: Sequence[Candidate]) -> list[Candidate]:
    """Return what a message states; `known` is what its corrections may be about."""
    signs = languages_in(line.text[:LONGEST_MESSAGE])
    if len(line.text) > LONGEST_MESSAGE or any(each.withheld.search(line.text) for each in signs):
        return []
    message, found = own_message(line.text), list[Candidate]()
    for sentence in message.sentences:
        languages, before = languages_of(sentence.text, line.text), len(found)
        if any(each.reported.search(sentence.text) for each in languages):
            break
        for language in languages:
            standing = message.is_short and not language.once.search(line.text)
            told = list(_told(sentence, language, now, standing=standing))
            corrected = _corrected(sentence.text, language, now, (*known, *found))
            for each in (*told, *corrected):
                start, end = sentence.start, sentence.start + len(sentence.text)
                quote, origin = line.text[start:end], line.origin
                found.append(replace(each, quote=quote, messages=(line.message,), origin=origin))
            if told or corrected:
                break
        if before and before == len(found) and _takes_back(sentence.text, signs):
            return []
    retracted = any(each.retracted.search(line.text) for each in signs)
    return [each for each in found if each.corrects] if retracted else found


def _takes_back(sentence: str, signs: Sequence[PatternLanguage]) -> bool:
    """Return whether a sentence begins to correct something, in any of the languages."""
    return any(each.correction.match(sentence) or each.meant.match(sentence) for each in signs)


def _told(
    sentence: OwnSentence, language: PatternLanguage, now: datetime, *, standing: bool
) -> Iterator[Candidate]:
    """Yield what the clauses of a sentence state, each rule once."""
    text = _asserted(sentence.text, language)
    if not text or language.doubt.search(text):
        return
    places = list(_clauses(text, language))
    for rule in language.rules:
        if rule.meaning.standing and not standing:
            continue
        for place in places[:1] if rule.meaning.anywhere or rule.meaning.standing else places:
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
    starts = islice(language.clause.finditer(text), MOST_CLAUSES)
    places = [0, *(found.end() for found in starts)]
    for place in places:
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
            text, key_value = each.text.replace(each.slot, new), new if each.key else None
            return [
                replace(
                    each, text=text, value=key_value, slot=new, corrects=True, changes=False,
                    instead_of=(each.slot,), entities=(),
                )
            ]  # fmt: skip
    return []


def _as_value(known: Candidate, value: str, language: PatternLanguage, now: datetime) -> str:
    """Return a corrected value in the form of the known one; nothing if it is of another kind."""
    if known.key == "birthday":
        date = read_date(value, language, now)
        form = "birth_date" if date and date.has_year else "birthday"
        return date.told(language, form) if date and date.unit == "day" else ""
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
