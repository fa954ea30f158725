"""Tell whether a name may be the translation of a word in another language: Köln and Cologne.

Names of places mostly keep their consonants. Names in other scripts than these cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path

from erstwhile.learning.grounding.names import is_japanese, script_of
from erstwhile.learning.grounding.word_lists import (
    languages,
    own_letters,
    plain,
    same_names,
)
from erstwhile.rule_files import read_rules

_SPELLED = frozenset({"latin", "cyrillic"})
"""The scripts that can be compared by their consonants."""
_LIKE = 0.6
"""The share of consonants in the same order that makes two names alike."""
_CYRILLIC = str.maketrans("бвгґджзклмнпрстфхцчшщ", "bvggdssklmnprstvhssss")
_SOUNDS = (("sch", "s"), ("ch", "s"), ("sh", "s"), ("ph", "v"), ("th", "t"), ("x", "ks"))
_LETTERS = str.maketrans("cqzwfj", "kksvvg")
_VOWELS = re.compile(r"[^bdgklmnprstv]")
_TWICE = re.compile(r"(.)\1+")
_ENGLISH = re.compile(r"\bI(?:['’][a-z]+)? [a-z]")
"""No other language writes a single "I" inside a sentence."""
_BY_SCRIPT = {
    "han": "zh",
    "kana": "ja",
    "hangul": "ko",
    "arabic": "ar",
    "thai": "th",
    "greek": "el",
    "hebrew": "he",
    "devanagari": "hi",
}
"""The scripts with a language of their own, or mostly so."""
_NOT_ARABIC = re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc\u0679\u0688\u06d2]")
"""Letters of Persian and Urdu, which Arabic does not have."""
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*")


def may_translate(name: str, words: str) -> bool:
    """Return whether the name may stand for one of the words, which are in another language."""
    if not {script_of(name), script_of(words)} <= _SPELLED:
        return True
    others = [plain(word) for word in _TOKEN.findall(words)]
    others = [word for word in others if not any(word in each for each in languages().values())]
    return all(_has_like(part, others) for part in _TOKEN.findall(plain(name)))


def is_place(name: str) -> bool:
    """Return whether a name is that of a well-known place, which each language has a word for."""
    return name.lower() in _places()


@cache
def _places() -> frozenset[str]:
    """Return the places that reconciliation knows, in English."""
    places = read_rules(Path(__file__).parents[1] / "reconcile" / "words.toml").words["place"]
    return frozenset((*places["cities"], *places["wide"]))


def is_other_language(text: str, words: str) -> bool:
    """Return whether two texts are in different scripts, or in different languages."""
    scripts = script_of(text), script_of(words)
    if "" in scripts:
        return False
    if scripts[0] != scripts[1]:
        return True
    own, others = language_of(text), _frequent_words(words)
    return bool(own) and others[own] < max(others.values())


def _has_like(part: str, words: list[str]) -> bool:
    sound = _consonants(part)
    for word in words:
        if any(part in group and word in group for group in same_names()):
            return True
        other = _consonants(word)
        same_beginning = sound[:1] == other[:1] and (len(sound) > 1 or part[0] == word[0])
        if same_beginning and SequenceMatcher(None, sound, other).ratio() >= _LIKE:
            return True
    return False


@lru_cache(maxsize=1_024)
def _consonants(word: str) -> str:
    for letters, sound in _SOUNDS:
        word = word.replace(letters, sound)
    return _TWICE.sub(r"\1", _VOWELS.sub("", word.translate(_CYRILLIC).translate(_LETTERS)))


def language_of(text: str) -> str:
    """Return the language with most of the frequent words; empty if none is ahead."""
    counts = _frequent_words(text)
    ahead = sorted(counts.values())[-2:]
    return max(counts, key=lambda name: counts[name]) if ahead[0] < ahead[1] else ""


def spoken_language(text: str) -> str:
    """Return the language of a text by its script, or by its frequent words; empty if unknown."""
    script = script_of(text)
    if script in _BY_SCRIPT:
        of_script = "ja" if is_japanese(text) else _BY_SCRIPT[script]
        return "fa" if _NOT_ARABIC.search(text) else of_script
    likely = "ru" if script == "cyrillic" else "en" if _ENGLISH.search(text) else ""
    return language_of(text) or _language_of_letters(text) or likely


def _language_of_letters(text: str) -> str:
    """Return the language that most of the special letters of a text belong to."""
    small = text.lower()
    counts = {name: sum(map(small.count, own)) for name, own in own_letters().items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


@lru_cache(maxsize=256)
def _frequent_words(text: str) -> Mapping[str, int]:
    """Return how many frequent words of each language a text has."""
    words = [plain(word) for word in _TOKEN.findall(text)]
    return {name: sum(word in own for word in words) for name, own in languages().items()}
