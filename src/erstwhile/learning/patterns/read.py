"""From a turn to candidates: sentences, then clauses, then the rules of each language.

The rules come first, because they give keys, dates and replaced values. A clause for which there is
no rule is read as a plain statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice, pairwise

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, mood_after, mood_of
from erstwhile.learning.patterns.apply import Clause, ClauseMatch, apply
from erstwhile.learning.patterns.corrections import corrected_candidates
from erstwhile.learning.patterns.dates import in_dates
from erstwhile.learning.patterns.endings import ended_candidates
from erstwhile.learning.patterns.languages import CHINESE, ENGLISH, Language
from erstwhile.learning.patterns.plain.english import plain_candidates
from erstwhile.learning.patterns.plain.named_kin import named_kin
from erstwhile.learning.patterns.plain.pieces import (
    MainClause,
    is_jest,
    is_joint_subject,
    pieces,
)
from erstwhile.learning.patterns.plain.quoted import quoted_candidates
from erstwhile.learning.patterns.sentences import own_sentences
from erstwhile.learning.turn import Turn

LONGEST = 400
"""The longest text for rules. A longer one is too complex."""
MOST_CLAUSES = 12
_NOT_MEANT = (Mood.STORY, Mood.JEST)
_HAN = re.compile(r"[\u3400-\u9fff]")
_COMMA = re.compile(r"[^，,；;？?！!。]+")


def candidates(turn: Turn) -> list[Candidate]:
    """Return the statements of users about themselves, their work and their wishes.

    If users correct themselves, the last value of a key counts.
    """
    found: dict[str, Candidate] = {}
    said = next((each.text for each in reversed(turn.before) if each.role is Role.USER), "")
    for line in turn.lines:
        for candidate in _told(line.text, said, turn.said_at) if line.role is Role.USER else ():
            first = found.setdefault(candidate.text, replace(candidate, origin=line.origin))
            messages = tuple(dict.fromkeys((*first.messages, line.message)))
            found[candidate.text] = replace(first, messages=messages)
    last = {each.key: each for each in found.values() if each.key and not each.ends}
    return [each for each in found.values() if last.get(each.key or "", each) is each]


def _told(text: str, before: str, now: datetime) -> Iterator[Candidate]:
    """Yield what a message states, and what it corrects in itself or in the message before."""
    sentences = list(own_sentences(text))
    yield from _stated(sentences, now)

    def read(said: str) -> list[Candidate]:
        return list(_stated(list(own_sentences(said)), now))

    for at, sentence in enumerate(sentences):
        yield from corrected_candidates(sentence, " ".join(sentences[:at]) or before, read)


def _stated(sentences: Sequence[str], now: datetime) -> Iterator[Candidate]:
    """Yield what the sentences of a message state, up to one that makes the rest a story."""
    if any(_is_withheld(sentence) for sentence in sentences):
        return
    for sentence, following in pairwise([*sentences, ""]):
        languages = (CHINESE, ENGLISH) if _HAN.search(sentence) else (ENGLISH,)
        if any(language.fiction.is_in(sentence) for language in languages):
            return
        if mood_after(following) is None:
            found = list(_of_sentence(sentence, languages, now))
            yield from found
            told = " ".join(each.text for each in found)
            yield from (each for each in named_kin(sentence) if each.entities[0] not in told)


def _is_withheld(sentence: str) -> bool:
    return any(language.withheld.is_in(sentence) for language in (CHINESE, ENGLISH))


def _of_sentence(
    sentence: str, languages: Sequence[Language], now: datetime
) -> Iterator[Candidate]:
    """Yield the statements of a sentence: by rules, then the plain ones, then what is over."""
    found = [each for language in languages for each in _in_sentence(sentence, language, now)]
    yield from (replace(each.candidate, sentence=sentence) for each in found)
    taken = [(each.start, each.end) for each in found]
    yield from plain_candidates(sentence, taken, now)
    yield from quoted_candidates(sentence, taken)
    if not any(each.candidate.ends for each in found):
        yield from ended_candidates(sentence)


def _in_sentence(sentence: str, language: Language, now: datetime) -> Iterator[ClauseMatch]:
    request = language.asks_to_forget.match(sentence)
    if request:
        yield from _forgotten(request["value"], language, now)
        return
    kept = language.asks_to_keep.match(sentence)
    text = kept["value"].rstrip(" ?？") if kept else sentence
    found = list(_asserted(text, language, now))
    if kept and not found and language.stands_alone(text) and not _is_doubtful(text, language):
        dated = in_dates(language.as_sentence(text.rstrip(" .!。！")), now)
        remembered = Candidate(text=dated, quote=text, found_by=f"{language.name}/remember")
        found.append(ClauseMatch(remembered, 0, len(sentence)))
    yield from (_moved(each, sentence.find(text)) for each in found)


def _asserted(text: str, language: Language, now: datetime) -> Iterator[ClauseMatch]:
    """Yield what a text states; if it asks or doubts, what its other parts state."""
    if not _is_doubtful(text, language):
        for found in _statements(text, language, now):
            if mood_of(text, found.start, found.end) not in _NOT_MEANT:
                yield found
        return
    for part in _parts(text):
        if not _is_doubtful(part.text, language):
            for found in _statements(part.text.strip(), language, now):
                if not is_jest(text) and _is_meant(text, part.start, part.end, found.candidate):
                    yield _moved(found, part.start)


def _parts(text: str) -> list[MainClause]:
    """Return the parts of a sentence that may state something beside a question."""
    if not _HAN.search(text):
        return pieces(text)
    found = islice(_COMMA.finditer(text), MOST_CLAUSES)
    return [MainClause(*each.span(), each[0]) for each in found]


def _is_doubtful(text: str, language: Language) -> bool:
    long = len(text) > LONGEST
    return long or language.question.is_in(text) or language.doubt.is_in(text)


def _is_meant(text: str, start: int, end: int, candidate: Candidate) -> bool:
    """Return whether a part of a sentence states something; a decision is a plan, too."""
    mood = mood_of(text, start, end)
    return mood is None or (mood is Mood.PLAN and candidate.kind in (Kind.DECISION, Kind.EVENT))


def _moved(found: ClauseMatch, by: int) -> ClauseMatch:
    return found._replace(start=found.start + by, end=found.end + by)


def _forgotten(text: str, language: Language, now: datetime) -> Iterator[ClauseMatch]:
    """Yield the statements in a request to forget, as statements that ended."""
    for statement in _statements(text, language, now):
        ended = replace(
            statement.candidate, ends=True, instead_of=(), valid_from=None, expires_at=None
        )
        yield statement._replace(candidate=ended)


def _statements(text: str, language: Language, now: datetime) -> Iterator[ClauseMatch]:
    read = 0
    for clause in _clauses(text, language):
        if not language.any_rule().begins(clause.rest):
            continue
        conditional = language.condition.is_in(_up_to_comma(text, clause, language))
        fitting = [
            rule
            for rule in language.rules
            if clause.start >= read and (clause.first if rule.rules else not conditional)
        ]
        for found in [apply(rule, clause, language, now) for rule in fitting]:
            if found is not None:
                read = max(read, found.end)
                yield found


def _up_to_comma(text: str, clause: Clause, language: Language) -> str:
    """Return the text in which a condition counts: in Chinese, one comes before what it is for."""
    comma = language.stop.search(text, clause.start) if language is CHINESE else None
    return text[: comma.start()] if comma else text


def _clauses(text: str, language: Language) -> Iterator[Clause]:
    ends = islice(language.clause.finditer(text), MOST_CLAUSES)
    for start in dict.fromkeys([0, *(found.end() for found in ends)]):
        if is_joint_subject(text[:start]):
            continue
        yield Clause(start, "", text[start:], first=not start)
        opening = language.opening.match(text, start)
        if opening and opening[0]:
            yield Clause(opening.end(), opening[0], text[opening.end() :], first=not start)
