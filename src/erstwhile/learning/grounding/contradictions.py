"""Tell why quoted words do not say what is proposed: they are of others, deny it, or pass."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from itertools import product

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.dates import dates_in, has_day_ahead
from erstwhile.learning.grounding.languages import is_other_language, language_of, script_of
from erstwhile.learning.grounding.names import has_name
from erstwhile.learning.grounding.negations import negation, says_no
from erstwhile.learning.grounding.people import (
    is_about_others,
    is_about_user,
    names_user,
    tells_bond,
)
from erstwhile.learning.grounding.said import added_terms, content_terms
from erstwhile.learning.grounding.word_lists import numerals, plain
from erstwhile.learning.moods import corrects, is_temporary, says_change, sentence_around
from erstwhile.learning.moods.sentences import clauses, sentences, sentences_around
from erstwhile.learning.moods.signs import Sign
from erstwhile.learning.turn import Turn

_LASTING = (None, "home", "employer", "occupation")
_IN_THE = "pt"
"""The language in which "no" does not negate, but means "in the"."""
_OF_MANY = ("latin", "cyrillic", "")
"""Scripts of many languages."""
_SHORT = 40
"""So few characters are an answer, if they follow a question."""
_HALF = 0.5
"""The share of the words of a statement that a clause must have to deny it."""
_WORD = re.compile(r"\w+")
_BESIDE = 3
"""The words on each side of a negation that may be the values that it sets apart."""
_SHORTEST, _ALIKE = 3, 0.6
"""The letters of a word, and the share of them, from which two words may be spellings of one."""
Contradiction = tuple[str, str]
"""The name of a rule, and its reason."""


def contradictions(
    candidate: Candidate, text: str, start: int, end: int, turn: Turn
) -> Iterator[Contradiction]:
    """Yield why the words of a text from start to end do not say what is proposed."""
    takes_back = candidate.ends and corrects(sentence_around(text, start, end))
    if not takes_back and _is_of_others(candidate.text, text, start, end):
        yield "others", "it is about somebody else"
    if candidate.ends:
        return
    around = [
        clause.text
        for sentence in sentences_around(text, start, end)
        for clause in clauses(sentence)
        if clause.start < end and clause.end > start
    ]
    if names_user(candidate.text) and _is_denied(candidate.text, around, text, text[start:end]):
        yield "denied", "the opposite was said"
    if Sign.LOVES_TROUBLE.is_in(candidate.text):
        yield "jest", "it was said in jest"
    if _is_lasting(candidate):
        if is_temporary(" ".join(around)) and not any(map(says_change, around)):
            yield "temporary", "it is so for a while only"
        if begins_later(text, start, turn.said_at):
            yield "plan", "it is a plan, and not so yet"
    if candidate.key == "home" and not _tells_home(sentence_around(text, start, end), turn):
        yield "unfounded", "its words do not say where the user lives"


def _tells_home(sentence: str, turn: Turn) -> bool:
    """Return whether a sentence says where somebody lives, or is a short answer to a question.

    In a language that nobody listed the words of, it may.
    """
    if Sign.RESIDES.is_in(sentence) or Sign.IS_SOMEWHERE.is_in(sentence) or says_change(sentence):
        return True
    answers = bool(turn.before) and len(sentence) <= _SHORT
    return answers or (script_of(sentence) in _OF_MANY and not language_of(sentence))


def begins_later(text: str, start: int, said_at: datetime) -> bool:
    """Return whether the sentence at a place, or the next one, names a day to begin on."""
    beside = [each.text for each in sentences(text) if each.end > start][:2]
    return any(Sign.BEGINS.is_in(each) and has_day_ahead(each, said_at) for each in beside)


def _is_of_others(statement: str, text: str, start: int, end: int) -> bool:
    """Return whether a statement about the user rests on words about other people only.

    "My sister got married" does not tell that the user is married; "my wife" does.
    """
    if tells_bond(statement):
        return is_about_others(text, start, end, near=True)
    return is_about_user(statement) and is_about_others(text, start, end)


def _is_lasting(candidate: Candidate) -> bool:
    """Return whether a candidate claims to be so for good, as the home of the user is.

    A new job is news, even if it is told as "my first day today".
    """
    passing = candidate.kind is Kind.STATE or candidate.expires_at or dates_in(candidate.text)[0]
    claims = candidate.key or candidate.replaces or candidate.kind is Kind.PROFILE
    return bool(claims) and candidate.key in _LASTING and not passing


def _is_denied(statement: str, around: Sequence[str], text: str, quote: str) -> bool:
    """Return whether a statement without a negation is only in clauses with one before it.

    In other words or another language than its quotation, a negation in front of it is enough.
    """
    words = content_terms(statement) - added_terms()
    if not words or says_no(statement) or any(map(_puts_right, around)):
        return False
    saying = [clause for clause in around if _share(words, clause) >= _HALF]
    if not saying:
        other = is_other_language(statement, text)
        no = language_of(text) != _IN_THE
        return bool(around) and all(_is_negated(each, quote, other, no=no) for each in around)
    return all(
        found and _share(words, clause[found.end() :])
        for clause in saying
        for found in [negation(clause)]
    )


def _puts_right(clause: str) -> bool:
    """Return whether a clause corrects something, or denies one value beside another: "34 not 43".

    Values of one sort are numbers, or words that are spelled almost alike.
    """
    if corrects(clause):
        return True
    found = negation(clause)
    if found is None:
        return False
    before = _WORD.findall(plain(clause[: found.start()]))[-_BESIDE:]
    after = _WORD.findall(plain(clause[found.end() :]))[:_BESIDE]
    return any(_of_one_sort(*pair) for pair in product(before, after))


def _of_one_sort(one: str, two: str) -> bool:
    counts = (each.isdecimal() or each in numerals() for each in (one, two))
    alike = min(len(one), len(two)) > _SHORTEST and one[0] == two[0]
    return all(counts) or (alike and SequenceMatcher(None, one, two).ratio() >= _ALIKE)


def _is_negated(clause: str, quote: str, other: bool, *, no: bool) -> bool:
    """Return whether a negation comes before the quoted words; in another language, or in them."""
    found, at = negation(clause), clause.find(quote)
    if found is None or (found[0] == "no" and not no):
        return False
    return found.start() < max(at, 0) + len(quote) if other else 0 <= found.end() <= at


def _share(words: Collection[str], text: str) -> float:
    return sum(has_name(text, word) for word in words) / len(words)
