"""Find the words that two texts share, in any language.

A sentence names a fact by words with content: not by words for the user, nor by stop words. The
same word may have another ending: "perro" and "perros", "Azora" and "Azor".
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from erstwhile.learning.grounding.word_lists import listed as words_for
from erstwhile.learning.grounding.word_lists import plain
from erstwhile.learning.reconcile.words import listed
from erstwhile.search.terms import stop_terms, terms

_HAN = "\u3400-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30ff"
_RUN = re.compile(
    rf"[{_HAN}{_KANA}\u0e00-\u0eff]+|[^\W_{_HAN}{_KANA}\u0e00-\u0eff][\w\u0900-\u0dff]*"
)
_UNSPACED = re.compile(rf"[{_HAN}{_KANA}\u0e00-\u0eff]")
_GRAMMAR = re.compile(r"[\u3041-\u309f]+")
"""Hiragana, which are mostly the endings of Japanese words."""
_SHORTEST = {"LATIN": 4, "CYRILLIC": 4, "GREEK": 4, "HANGUL": 2, "ARABIC": 3, "DEVANAGARI": 3}
"""How many letters of a word must be equal in another form of it, by its script."""
_ENDING = 2
"""The letters at the end of a word that another form may not have."""


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """Return the words with content, and pairs of characters of unspaced scripts."""
    plain = _user().sub(" ", unicodedata.normalize("NFKC", text))
    found = set[str]()
    for run in _RUN.findall(plain):
        found.update(_pairs(run) if _UNSPACED.match(run) else _word(run))
    return frozenset(found)


def shared(text: str, other: str) -> frozenset[str]:
    """Return the words of the text that the other has as well, in this or another form."""
    words = content(other)
    return frozenset(word for word in content(text) if any(_same(word, each) for each in words))


def _pairs(run: str) -> set[str]:
    pairs = {run[at : at + 2] for at in range(len(run) - 1)}
    return {pair for pair in pairs if not _GRAMMAR.fullmatch(pair)}


def _word(run: str) -> list[str]:
    """Return the word, unless it is a stop word, a unit of time or a single letter."""
    folded = run.casefold()
    names_nothing = _is_stop_word(folded) or plain(folded) in _units()
    return [folded] if len(folded) > 1 and not names_nothing else []


def _is_stop_word(word: str) -> bool:
    return not set(terms(word)) - stop_terms()


def _same(word: str, other: str) -> bool:
    if word == other:
        return True
    least = _SHORTEST.get(unicodedata.name(word[0], "").partition(" ")[0], len(word) + 1)
    alike = max(least, min(len(word), len(other)) - _ENDING)
    return word[:alike] == other[:alike] and min(len(word), len(other)) >= alike


@cache
def _units() -> frozenset[str]:
    """Return the units of time: "three times a week" is not named by "this week"."""
    return frozenset().union(*(words_for("units", unit) for unit in ("day", "week", "month")))


@cache
def _user() -> re.Pattern[str]:
    """Return a pattern for the words for the user, with their endings."""
    names = sorted(listed("key", "user"), key=len, reverse=True)
    return re.compile(
        "|".join(rf"{re.escape(name)}(?:['’]s|s|n|는|은|이|가|의|를|を|は|の)?" for name in names),
        re.IGNORECASE,
    )
