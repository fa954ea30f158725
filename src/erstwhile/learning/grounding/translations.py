"""Tell whether a name may be the translation of a word in another language: Köln and Cologne.

Names of places mostly keep their consonants. Names in other scripts than these cannot be compared.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from erstwhile.learning.grounding.languages import script_of, spoken_language
from erstwhile.learning.grounding.sounds import tells_name
from erstwhile.learning.grounding.word_lists import (
    languages,
    plain,
    same_names,
)
from erstwhile.recall.paraphrases import Paraphrases
from erstwhile.rule_files import read_rules

_SPELLED = frozenset({"latin", "cyrillic"})
"""The scripts that can be compared by their consonants."""
_LIKE = 0.6
"""The share of consonants in the same order that makes two names alike."""
_CYRILLIC = str.maketrans("бвгґджзклмнпрстфхцчшщ", "bvggdssklmnprstvhssss")
_SOUNDS = (("sch", "s"), ("ch", "s"), ("sh", "s"), ("ph", "v"), ("th", "t"), ("x", "ks"))
_LETTERS = str.maketrans("cqzwfj", "kksvvg")
_MEANS = 0.6
"""The cosine from which a word means the same as a name."""
_LONGEST, _MOST = 1_500, 300
"""The characters of a message, and the words in it, that a name is compared with."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")
_VOWELS = re.compile(r"[^bdgklmnprstv]")
_TWICE = re.compile(r"(.)\1+")
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*")


def may_translate(name: str, words: str) -> bool:
    """Return whether the name may stand for one of the words, which are in another language."""
    if not {script_of(name), script_of(words)} <= _SPELLED:
        return True
    others = [plain(word) for word in _TOKEN.findall(words)]
    others = [word for word in others if not any(word in each for each in languages().values())]
    return all(_has_like(part, others) for part in _TOKEN.findall(plain(name)))


def has_word_for(name: str, statement: str, message: str, paraphrases: Paraphrases | None) -> bool:
    """Return whether a word of a message in another language means a name: Pasqua and Easter.

    The embedder compares them: of 59 names that models had translated it finds 31, and of 12
    others none that was not said.
    """
    if paraphrases is None or tells_name(statement):
        return False
    told, said = spoken_language(statement), spoken_language(message)
    if told == said or not paraphrases.scale.languages.issuperset((told, said)):
        return False
    found = paraphrases.likeness(name, _words_and_pairs(message))
    return found is not None and found >= _MEANS


@lru_cache(maxsize=16)
def _words_and_pairs(message: str) -> tuple[str, ...]:
    """Return the words of a message, two in a row, and short runs of unspaced scripts."""
    words = _TOKEN.findall(message[:_LONGEST])
    spaced = [word for word in words if not _UNSPACED.search(word)]
    runs = [run for word in words for run in _UNSPACED.findall(word)]
    cut = [run[at : at + size] for run in runs for size in (2, 3, 4) for at in range(len(run))]
    return tuple(dict.fromkeys((*spaced, *map(" ".join, pairwise(spaced)), *cut)))[:_MOST]


def is_place(name: str) -> bool:
    """Return whether a name is that of a well-known place, which each language has a word for."""
    return name.lower() in _places()


@cache
def _places() -> frozenset[str]:
    """Return the places that reconciliation knows, in English."""
    places = read_rules(Path(__file__).parents[1] / "reconcile" / "words.toml").words["place"]
    return frozenset((*places["cities"], *places["wide"]))


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
