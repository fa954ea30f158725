"""Tell whether a clause is about the user, or about somebody else: "My dad has diabetes".

A clause is about somebody else if it begins with a word for a person, and has no word for the
speaker; so is the clause after it that names nobody.
"""

from __future__ import annotations

import re
from functools import cache

from erstwhile.core.text import folded
from erstwhile.learning.grounding.word_lists import accented, any_of, any_word
from erstwhile.learning.moods.sentences import clauses, sentences
from erstwhile.search.terms import is_unspaced

_ABOUT_USER = 30
"""The number of characters in which a statement about the user names the user."""


def names_user(statement: str) -> bool:
    """Return whether a statement begins with the user."""
    return _speakers().search(folded(statement)[:_ABOUT_USER]) is not None


def is_about_user(statement: str) -> bool:
    """Return whether a statement is about the user alone, and names no other person."""
    words = folded(statement)
    return names_user(statement) and not (_people().search(words) or _bonds().search(words))


def is_about_others(text: str, start: int, end: int) -> bool:
    """Return whether the words from start to end are only in clauses about other people."""
    found = list[bool]()
    for sentence in sentences(text):
        about = False
        for clause in clauses(sentence) if sentence.start < end and sentence.end > start else ():
            about = _is_of_others(text[clause.start : min(clause.end, end)], after=about)
            if clause.start < end and clause.end > start:
                found.append(about)
    return bool(found) and all(found)


def _is_of_others(clause: str, *, after: bool) -> bool:
    """Return whether a clause is about others; `after` is whether the clause before it is."""
    words = folded(clause).replace("’", "'")
    if _self().search(words):
        return False
    return after or _subject().match(words) is not None


@cache
def _subject() -> re.Pattern[str]:
    """Return a pattern for a person at the beginning of a clause."""
    leads = accented("people", "leads")
    before = any_of(each for each in leads if not is_unspaced(each))
    joined = any_of(filter(is_unspaced, leads))
    spaced, unspaced = (any_of(accented("people", name)) for name in ("spaced", "unspaced"))
    return re.compile(
        rf"\W*(?:(?:{before})\W+){{0,4}}(?:{spaced})(?!\w)|\W*(?:(?:{joined})\s?){{0,3}}(?:{unspaced})"
    )


@cache
def _self() -> re.Pattern[str]:
    spaced, unspaced = accented("people", "speaker"), accented("people", "speaker_unspaced")
    return re.compile(any_word((*spaced, *unspaced)))


@cache
def _speakers() -> re.Pattern[str]:
    return re.compile(any_word(accented("speakers")))


@cache
def _people() -> re.Pattern[str]:
    return re.compile(any_word((*accented("people", "spaced"), *accented("people", "unspaced"))))


@cache
def _bonds() -> re.Pattern[str]:
    return re.compile(any_word(accented("people", "bonds")))
