"""From a turn to candidates: the user's own sentences, their clauses, and the rules for these.

The texts in the groups of a rule's pattern become the candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.own_speech import is_own_speech
from erstwhile.learning.patterns.language import (
    INSTRUCTION,
    Meaning,
    PatternLanguage,
    StatementRule,
    languages_in,
    languages_of,
)
from erstwhile.learning.salience import stands_alone
from erstwhile.learning.turn import Turn, TurnLine, is_machine_text
from erstwhile.search.dates import DatePeriod, date_words, read_date
from erstwhile.search.marked_text import quotations
from erstwhile.search.own_words import own_words
from erstwhile.search.passages import sentence_spans, stands_before_name

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


MAX_VALUE = 80
_DATES = ("when", "since", "until", "date")
_SUBJECTS = ("who", "subject")
_NAMES = ("value", "name")
_NO_VALUES = (*_DATES, *_SUBJECTS, "tail", "verb", "be", "to", "often", "pronouns")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_GROUP = re.compile(r"\{(\w+)\}")
_YEAR = timedelta(days=366)
_FOUR_DIGITS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class Clause(NamedTuple):
    """A clause of a sentence: where it begins, and where its statement begins."""

    start: int
    place: int


def statement_at(
    rule: StatementRule, sentence: str, clause: Clause, language: PatternLanguage, now: datetime
) -> Candidate | None:
    """Return what the rule finds in a sentence in a clause; None if it proves nothing."""
    meaning = rule.meaning
    if meaning.anywhere:
        found = rule.regex.search(sentence)
    else:
        found = rule.regex.match(sentence, clause.start if meaning.standing else clause.place)
    if found is None or stands_before_name(sentence, found.end()):
        return None
    said = {name: text.strip() for name, text in found.groupdict("").items()}
    dates = _read_dates(said, meaning, language, now)
    if dates is None or not _is_meant(meaning, sentence, found, language, now):
        return None
    old, replaced = _instead(sentence, found.end(), said, language)
    began = dates.get("when") or dates.get("since")
    values = said | {
        name: date_text(date, language, _form(name, date)) for name, date in dates.items()
    }
    for name in _SUBJECTS:
        if name in said:
            values[name] = _subject(said[name], language.words[name], whole=name == "who")
    words = sentence[clause.start : clause.place] + _without_values(found)
    return Candidate(
        text=_filled(rule.text, values),
        kind=meaning.kind,
        key=meaning.key,
        value=values[meaning.value] if meaning.key else None,
        entities=() if meaning is INSTRUCTION else _entities(said),
        slot=values.get(meaning.value, ""),
        changes=meaning.changes or replaced == "changes" or bool(language.change.search(words)),
        corrects=replaced == "corrects" or bool(language.correction.match(sentence)),
        ends=meaning.ends,
        instead_of=(old,) if old else (),
        valid_from=began.start if began else None,
        expires_at=dates["until"].end if "until" in dates else None,
        found_by=f"patterns/{language.name}/{rule.name}",
    )


def _entities(said: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(said[name] for name in _NAMES if said.get(name, "")[:1].isupper())


def date_text(date: DatePeriod, language: PatternLanguage, form: str = "") -> str:
    """Return a date in words of the language, in the form of its unit or the given one."""
    months = date_words(language.name).months
    month = months[date.start.month - 1][0] if months else ""
    fields = {"iso": date.start.date().isoformat(), "year": date.start.year, "month": month}
    fields |= {"number": date.start.month, "day": date.start.day}
    return str(language.words["date_forms"][form or date.unit].format(**fields))


def _is_meant(
    meaning: Meaning,
    sentence: str,
    found: re.Match[str],
    language: PatternLanguage,
    now: datetime,
) -> bool:
    """Return whether a match is an order, or a present fact with proper values."""
    if meaning.standing:
        return not language.no_order.search(found[0])
    groups = found.groupdict("").items()
    values = [text for name, text in groups if name not in _NO_VALUES]
    for text in filter(None, map(str.strip, values)):
        if len(text) > MAX_VALUE or language.not_value.search(text):
            return False
    if meaning.recent and any(int(y) < now.year - 1 for y in _FOUR_DIGITS.findall(sentence)):
        return False
    return not language.not_stated.search(" ".join((sentence[: found.start()], *values)))


def _read_dates(
    said: Mapping[str, str], meaning: Meaning, language: PatternLanguage, now: datetime
) -> dict[str, DatePeriod] | None:
    """Return the dates of the groups; None if one cannot be read or does not fit its tense."""
    dates = dict[str, DatePeriod]()
    for name in _DATES:
        if text := said.get(name, ""):
            date = read_date(text, date_words(language.name), now, past=name != "until")
            if date is None or not _fits(name, date, meaning, now):
                return None
            dates[name] = date
    return dates


def _fits(name: str, date: DatePeriod, meaning: Meaning, now: datetime) -> bool:
    if name == "date":
        return date.unit == "day"
    if name == "until":
        return date.unit == "day" and date.end > now
    return date.start <= now and (not meaning.recent or now - date.start < _YEAR)


def _subject(said: str, subjects: Mapping[str, str], *, whole: bool) -> str:
    """Return a subject in the third person: "my sister Ana" is "The user's sister Ana"."""
    said = said[0].lower() + said[1:]
    begins = next(each for each in subjects if said.lower().startswith(each))
    return subjects[begins] + ("" if whole else said[len(begins) :])


def _form(name: str, date: DatePeriod) -> str:
    if name == "until":
        return "iso"
    if name != "date":
        return ""
    return "birth_date" if date.has_year else "birthday"


def _instead(
    sentence: str, end: int, said: Mapping[str, str], language: PatternLanguage
) -> tuple[str, str]:
    """Return the value that a statement replaces, and whether that was ever true."""
    if found := language.instead.match(sentence, end):
        ended = found.groupdict().get("over")
        return found["old"].strip(), "changes" if ended else "corrects"
    return said.get("old", ""), "changes" if said.get("old") else ""


def _without_values(found: re.Match[str]) -> str:
    """Return the words of a match outside of its values; a date counts as a word."""
    text, start = found[0], found.start()
    for name, value in found.groupdict("").items():
        if value and name not in _NO_VALUES:
            first, last = found.start(name) - start, found.end(name) - start
            text = text[:first] + " " * (last - first) + text[last:]
    return text


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return the text with its values, without the optional parts that have none."""

    def kept(part: re.Match[str]) -> str:
        return part[1] if all(values.get(name) for name in _GROUP.findall(part[1])) else ""

    return _GROUP.sub(lambda group: values[group[1]], _OPTIONAL.sub(kept, template))
