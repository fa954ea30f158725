"""Tell whether a clause is about the user, or about somebody else: "My dad has diabetes".

A clause is about somebody else if it begins with a word for a person, and has no word for the
speaker; so is the clause after it that names nobody.
"""

from __future__ import annotations

import re
from functools import cache

from erstwhile.core.text import folded
from erstwhile.learning.grounding.languages import language_of, script_of
from erstwhile.learning.grounding.word_lists import accented, any_of, any_word
from erstwhile.learning.moods.sentences import clauses, sentences
from erstwhile.search.terms import is_unspaced

_ANYBODY = "father"
"""Stands for a person whose owner is named after them."""
_IN = re.compile(r"(?<!\w)i(?!\w)")
_SAYING_I = ("sv", "da", "pl", "it")
"""Languages in which "i" is another word than "I": "in", "and", "the"."""
_ABOUT_PERSON = 60
_BEFORE_PERSON = 16
"""The number of characters between the user and the word for the person: "best", "older"."""
_WORD = re.compile(r"\w+")
_MOST_BEFORE_NAME = 2
"""How many words may stand before a name that a clause begins with."""
_LONGEST_ENDING = 3
"""How many letters a language may add to a name."""
_NAMED = re.compile(r"(?: [^\W\d_a-zà-öø-ÿ][\w'’-]*)+")
_ABOUT_USER = 30
"""The number of characters in which a statement about the user names the user."""


def names_user(statement: str) -> bool:
    """Return whether a statement begins with the user."""
    return _speakers().search(folded(statement)[:_ABOUT_USER]) is not None


def is_about_user(statement: str) -> bool:
    """Return whether a statement is about the user alone, and names no other person."""
    words = folded(statement)
    return names_user(statement) and not (_people().search(words) or _bonds().search(words))


def tells_bond(statement: str) -> bool:
    """Return whether a statement tells of a family or relationship of the user: "is married"."""
    rest, bonds = _bonds().subn(" ", folded(statement))
    return names_user(statement) and bonds > 0 and _people().search(rest) is None


def person_of(statement: str) -> str:
    """Return the words for the person of the user that a statement is about; empty if none.

    "The user's flatmate Bex broke up" is about "the user's flatmate Bex".
    """
    found = _people().search(folded(statement)[:_ABOUT_PERSON])
    if found and found[0] in accented("people", "experts"):
        return ""
    owned = _owner().match(statement)
    if found is None or owned is None or found.start() > owned.end() + _BEFORE_PERSON:
        return ""
    named = _NAMED.match(statement, found.end())
    return statement[owned.end() : named.end() if named else found.end()]


def names_person(statement: str) -> bool:
    """Return whether a statement names a person of the user, or tells of a bond with somebody."""
    words = folded(statement)
    return _people().search(words) is not None or _bonds().search(words) is not None


def begins_with(clause: str, name: str) -> bool:
    """Return whether a clause is about somebody of this name, and not about the speaker."""
    words = folded(clause).replace("’", "'")
    if _self().search(_IN.sub(" ", words) if language_of(words) in _SAYING_I else words):
        return False
    said, (*first, last) = _WORD.findall(words), _WORD.findall(folded(name)) or [words]
    for at in range(_MOST_BEFORE_NAME + 1):
        *begun, ended = said[at : at + len(first) + 1] or [""]
        if begun == first and ended.startswith(last) and len(ended) <= len(last) + _LONGEST_ENDING:
            return True
    return False


def is_about_others(text: str, start: int, end: int, *, near: bool = False) -> bool:
    """Return whether the words from start to end are only in clauses about other people.

    With `near`, partners and children do not count: "my wife" tells that the user is married.
    """
    found = list[bool]()
    for sentence in sentences(text):
        about = False
        for clause in clauses(sentence) if sentence.start < end and sentence.end > start else ():
            about = _is_of_others(text[clause.start : min(clause.end, end)], about, near=near)
            if clause.start < end and clause.end > start:
                found.append(about)
    return bool(found) and all(found)


def _is_of_others(clause: str, after: bool, *, near: bool) -> bool:
    """Return whether a clause is about others; `after` is whether the clause before it is."""
    words = _owned().sub(_ANYBODY, folded(clause).replace("’", "'"))
    if _self().search(_IN.sub(" ", words) if language_of(words) in _SAYING_I else words):
        return False
    subject = _subject().match(words)
    if subject is None:
        return after and _concluding().match(words) is None
    return not (near and _near().search(subject[0]))


@cache
def _subject() -> re.Pattern[str]:
    """Return a pattern for a person at the beginning of a clause."""
    leads = accented("people", "leads")
    before = any_of(each for each in leads if not is_unspaced(each))
    joined = any_of(filter(is_unspaced, leads))
    spaced, unspaced = (any_of(accented("people", name)) for name in ("spaced", "unspaced"))
    own = any_of(accented("people", "own_endings"))
    return re.compile(
        rf"\W*(?:(?:{before})\W+){{0,4}}(?:{spaced})(?:{own})?(?!\w)"
        rf"|\W*(?:(?:{joined})\s?){{0,3}}(?:{unspaced})(?!{any_of(accented('people', 'beside'))})"
    )


@cache
def _owned() -> re.Pattern[str]:
    """Return a pattern for a person with the owner after it: "bố mình" is my father."""
    people = any_of((*accented("people", "spaced"), *accented("people", "with_owner")))
    return re.compile(rf"(?<!\w)({people}) (?:{any_of(accented('people', 'owner_after'))})(?!\w)")


@cache
def _concluding() -> re.Pattern[str]:
    """Return a pattern for words that begin a new thought: "so no calls then"."""
    return re.compile(rf"\W*(?:{any_word(accented('people', 'concluding'))})")


@cache
def _near() -> re.Pattern[str]:
    return re.compile(any_of(accented("people", "near")))


@cache
def _self() -> re.Pattern[str]:
    spaced, unspaced = accented("people", "speaker"), accented("people", "speaker_unspaced")
    joined = (f"{sign}{word}" for sign in "وف" for word in spaced if script_of(word) == "arabic")
    return re.compile(any_word((*spaced, *joined, *unspaced)))


@cache
def _speakers() -> re.Pattern[str]:
    return re.compile(any_word(accented("speakers")))


@cache
def _owner() -> re.Pattern[str]:
    """Return a pattern for the user as an owner at the beginning of a statement."""
    users = any_of(accented("speakers"))
    return re.compile(rf"(?:[Tt]he )?(?:{users})(?:['’]s?|的|の|의) ?", re.IGNORECASE)


@cache
def _people() -> re.Pattern[str]:
    return re.compile(any_word((*accented("people", "spaced"), *accented("people", "unspaced"))))


@cache
def _bonds() -> re.Pattern[str]:
    return re.compile(any_word(accented("people", "bonds")))
