"""The lists of `words.toml`: words for speakers, numbers and times."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.core.text import folded
from erstwhile.rule_files import read_rules
from erstwhile.search.terms import is_unspaced

_OWN_LETTERS = str.maketrans(
    {"ı": "i", "’": "'", "đ": "d", "ð": "d", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that Unicode does not take apart."""
_ACCENTS = re.compile("[\u0300-\u036f]")


@cache
def listed(*path: str) -> frozenset[str]:
    """Return the words of a list, in the form of `plain`."""
    return frozenset(map(plain, accented(*path)))


@cache
def accented(*path: str) -> frozenset[str]:
    """Return the words of a list with their accents, folded: "mê" is not "me"."""
    found: Any = _words()
    for name in path:
        found = found[name]
    return frozenset(map(folded, found))


def rows(*path: str) -> str:
    """Return a text of words, as it is written."""
    found: Any = _words()
    for name in path:
        found = found[name]
    return str(found)


@cache
def ranked(name: str) -> Mapping[str, int]:
    """Return the words of a group by their rank: "monday" is 0."""
    rows = _words()[name].values()
    return {plain(word): at for row in rows for at, word in enumerate(row.split())}


@cache
def in_own_letters(name: str) -> frozenset[str]:
    """Return the words of a group as their languages write them, and without accents."""
    written = {word for row in _words()[name].values() for word in row.split()}
    return frozenset(written) | frozenset(ranked(name))


def rank_of(name: str, word: str) -> int | None:
    """Return the rank of a word in a group, also with an ending; None if it has none."""
    ranks, written = ranked(name), plain(word)
    cut = (written[:end] for end in range(len(written), max(1, len(written) - 5), -1))
    return next((ranks[each] for each in cut if each in ranks), None)


@cache
def numerals() -> Mapping[str, int]:
    """Return the number of each numeral."""
    more = _words()["more_numerals"].items()
    return {
        **ranked("numerals"),
        **{plain(word): int(number) for number, words in more for word in words},
    }


@cache
def numeral_row(language: str) -> Mapping[str, int]:
    """Return the number of each numeral of a language; empty for an unknown one."""
    row = _words()["numerals"].get(language, "") or numerals_elsewhere(language)
    return {plain(form): at for at, forms in enumerate(row.split()) for form in forms.split("/")}


def numerals_elsewhere(language: str) -> str:
    """Return the numerals of a language whose words mean something else in others."""
    return str(_words()["numerals_elsewhere"].get(language, ""))


def says(mood: str, text: str) -> bool:
    """Return whether a statement has words that tell it as a plan, a guess, past or reported."""
    return _told_as(mood).search(plain(text)) is not None


def asks_to_forget(text: str) -> bool:
    """Return whether somebody asks to forget or to delete something."""
    return _forgetting().search(plain(text)) is not None


@cache
def _forgetting() -> re.Pattern[str]:
    return re.compile(any_word(listed("forget"), ending=r"\w{0,3}"))


@cache
def _told_as(mood: str) -> re.Pattern[str]:
    return re.compile(any_word(listed("told_as", mood)))


@cache
def languages() -> Mapping[str, frozenset[str]]:
    """Return the frequent words of each language."""
    rows = _words()["function_words"].items()
    return {name: frozenset(map(plain, row.split())) for name, row in rows}


@cache
def own_letters() -> Mapping[str, str]:
    """Return the letters of each language that few others have."""
    return dict(_words()["own_letters"])


@cache
def same_names() -> tuple[frozenset[str], ...]:
    """Return groups of names for the same thing that do not sound alike."""
    return tuple(frozenset(map(plain, group)) for group in _words()["same_name"].values())


def plain(text: str) -> str:
    """Return a text without case, accents and differences of width."""
    folded_text = folded(text).translate(_OWN_LETTERS)
    if folded_text.isascii():
        return folded_text
    decomposed = unicodedata.normalize("NFD", folded_text)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def any_word(words: Iterable[str], ending: str = "") -> str:
    """Return a pattern for any of these words; in spaced scripts, for whole words only.

    `ending` is a pattern for an ending that words in spaced scripts may have.
    """
    given = tuple(words)
    whole = any_of(word for word in given if not is_unspaced(word))
    inside = any_of(filter(is_unspaced, given))
    return rf"(?<!\w)(?:{whole}){ending}(?!\w)" + (f"|(?:{inside})" if inside else "")


def any_of(words: Iterable[str]) -> str:
    """Return the words as alternatives of a pattern, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


@cache
def _words() -> Mapping[str, Any]:
    return read_rules(Path(__file__).with_name("words.toml")).words
