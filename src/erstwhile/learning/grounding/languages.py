"""Tell the script and the language of a text: by its letters, and by its frequent words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from erstwhile.learning.grounding.word_lists import languages, own_letters, plain

_SCRIPTS = (
    ("latin", "A-Za-z\u00c0-\u024f\u1e00-\u1eff"),
    ("greek", "\u0370-\u03ff"),
    ("cyrillic", "\u0400-\u052f"),
    ("hebrew", "\u0590-\u05ff"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f"),
    ("devanagari", "\u0900-\u097f"),
    ("thai", "\u0e00-\u0e7f"),
    ("han", "\u3005\u3400-\u9fff\uf900-\ufaff"),
    ("kana", "\u3040-\u30ff"),
    ("hangul", "\uac00-\ud7af"),
)
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


def is_japanese(text: str) -> bool:
    """Return whether a text has kana."""
    return _script("kana").search(text) is not None


@lru_cache(maxsize=256)
def script_of(text: str) -> str:
    """Return the script of most letters; empty if there is none. Ideographs count twice."""
    counts = {name: len(_script(name).findall(text)) for name, _ in _SCRIPTS}
    counts["han"] *= 2
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


def is_other_language(text: str, words: str) -> bool:
    """Return whether two texts are in different scripts, or in different languages."""
    scripts = script_of(text), script_of(words)
    if "" in scripts:
        return False
    if scripts[0] != scripts[1]:
        return True
    own, others = language_of(text), _frequent_words(words)
    return bool(own) and others[own] < max(others.values())


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


@cache
def _script(name: str) -> re.Pattern[str]:
    return re.compile(f"[{dict(_SCRIPTS)[name]}]")
