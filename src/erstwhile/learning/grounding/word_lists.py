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

_ACCENTS = re.compile("[\u0300-\u036f]")


@cache
def listed(*path: str) -> frozenset[str]:
    """Return the words of a list, in the form of `plain`."""
    found: Any = _words()
    for name in path:
        found = found[name]
    return frozenset(map(plain, found))


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
    """Return the rank of a word in a group, also of its plural: "fridays"; None if it has none."""
    ranks, first = ranked(name), plain(word)
    return ranks.get(first, ranks.get(first.removesuffix("s")))


@cache
def numerals() -> Mapping[str, int]:
    """Return the number of each numeral."""
    more = _words()["more_numerals"].items()
    return {
        **ranked("numerals"),
        **{plain(word): int(number) for number, words in more for word in words},
    }


def says(mood: str, text: str) -> bool:
    """Return whether a statement has words that tell it as a plan, a guess, past or reported."""
    return _told_as(mood).search(plain(text)) is not None


@cache
def _told_as(mood: str) -> re.Pattern[str]:
    return re.compile(any_word(listed("told_as", mood)))


@cache
def languages() -> Mapping[str, frozenset[str]]:
    """Return the frequent words of each language."""
    rows = _words()["function_words"].items()
    return {name: frozenset(map(plain, row.split())) for name, row in rows}


@cache
def same_names() -> tuple[frozenset[str], ...]:
    """Return groups of names for the same thing that do not sound alike."""
    return tuple(frozenset(map(plain, group)) for group in _words()["same_name"].values())


def plain(text: str) -> str:
    """Return a text without case, accents and differences of width."""
    folded_text = folded(text).replace("ı", "i").replace("’", "'")
    if folded_text.isascii():
        return folded_text
    decomposed = unicodedata.normalize("NFD", folded_text)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def any_word(words: Iterable[str], ending: str = "") -> str:
    """Return a pattern for any of these words; in spaced scripts, for whole words only.

    `ending` is a pattern for an ending that words in spaced scripts may have.
    """
    longest_first = sorted(words, key=len, reverse=True)
    whole = "|".join(map(re.escape, (word for word in longest_first if not is_unspaced(word))))
    inside = "|".join(map(re.escape, filter(is_unspaced, longest_first)))
    return rf"(?<!\w)(?:{whole}){ending}(?!\w)" + (f"|(?:{inside})" if inside else "")


@cache
def _words() -> Mapping[str, Any]:
    return read_rules(Path(__file__).with_name("words.toml")).words
