"""From a turn to candidates: sentences, then clauses, then the rules of each language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

from erstwhile.conversations.conversation import Role
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.patterns.apply import Clause, apply
from erstwhile.learning.patterns.dates import in_dates
from erstwhile.learning.patterns.languages import CHINESE, ENGLISH, Language
from erstwhile.learning.prose import is_machine_text, prose
from erstwhile.learning.turn import Turn

LONGEST = 400
"""The longest sentence. A longer one is too complex for patterns."""
MOST_CLAUSES = 12
_SENTENCE_END = re.compile(
    r"(?<!\bSt\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\be\.g\.)(?<=[.!?])\s+"
    r"|(?<=[。！？；])|(?<=;)\s+"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HAN = re.compile(r"[\u3400-\u9fff]")


def candidates(turn: Turn) -> list[Candidate]:
    """Return the statements of users about themselves, their work and their wishes.

    If users correct themselves, the last value of a key counts.
    """
    found: dict[str, Candidate] = {}
    for line in turn.lines:
        for candidate in _stated(line.text, turn.said_at) if line.role is Role.USER else ():
            first = found.setdefault(candidate.text, replace(candidate, origin=line.origin))
            messages = tuple(dict.fromkeys((*first.messages, line.message)))
            found[candidate.text] = replace(first, messages=messages)
    last = {each.key: each for each in found.values() if each.key and not each.ends}
    return [each for each in found.values() if last.get(each.key or "", each) is each]


def _stated(text: str, now: datetime) -> Iterator[Candidate]:
    if any(language.withheld.search(text) for language in (CHINESE, ENGLISH)):
        return
    for sentence in _sentences(text):
        for language in (CHINESE, ENGLISH) if _HAN.search(sentence) else (ENGLISH,):
            if language.fiction.search(sentence):
                return
            yield from _in_sentence(sentence, language, now)


def _sentences(text: str) -> Iterator[str]:
    spoken = [line for line in prose(text).split("\n") if not is_machine_text(line)]
    for line in spoken:
        for piece in _SENTENCE_END.split(_BULLET.sub("", line)):
            sentence = " ".join(_CONTROL.sub(" ", piece).split()).replace("’", "'")
            if 0 < len(sentence) <= LONGEST:
                yield sentence


def _in_sentence(sentence: str, language: Language, now: datetime) -> Iterator[Candidate]:
    request = language.asks_to_forget.match(sentence)
    if request:
        yield from _forgotten(request["value"], language, now)
        return
    kept = language.asks_to_keep.match(sentence)
    text = kept["value"].rstrip(" ?？") if kept else sentence
    if language.question.search(text) or language.doubt.search(text):
        return
    found = list(_statements(text, language, now))
    if kept and not found and language.stands_alone(text):
        dated = in_dates(language.as_sentence(text.rstrip(" .!。！")), now)
        found.append(Candidate(text=dated, found_by=f"{language.name}/remember"))
    yield from found


def _forgotten(text: str, language: Language, now: datetime) -> Iterator[Candidate]:
    """Yield the statements in a request to forget, as statements that ended."""
    for statement in _statements(text, language, now):
        yield replace(statement, ends=True, instead_of=(), valid_from=None, expires_at=None)


def _statements(text: str, language: Language, now: datetime) -> Iterator[Candidate]:
    conditional = language.condition.search(text) is not None
    read = 0
    for clause in _clauses(text, language):
        fitting = [
            rule
            for rule in language.rules
            if clause.start >= read and (clause.first if rule.rules else not conditional)
        ]
        for found in [apply(rule, clause, language, now) for rule in fitting]:
            if found is not None:
                read = max(read, found.end)
                yield found.candidate


def _clauses(text: str, language: Language) -> Iterator[Clause]:
    ends = islice(language.clause.finditer(text), MOST_CLAUSES)
    for start in dict.fromkeys([0, *(found.end() for found in ends)]):
        yield Clause(start, "", text[start:], first=not start)
        opening = language.opening.match(text, start)
        if opening and opening[0]:
            yield Clause(opening.end(), opening[0], text[opening.end() :], first=not start)
