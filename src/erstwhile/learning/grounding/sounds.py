"""Compare a name in Latin letters with words in another script, by their consonants.

Unicode names each letter by its sound: आरव is AA, RA, VA. Chinese characters are read by their
place in GB 2312, which sorts the frequent ones by sound. How a name in Japanese characters is read,
nobody can tell.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache

from erstwhile.learning.grounding.word_lists import any_word, listed, plain, rows

_LIKE = 0.6
"""The share of consonants in the same order that makes two names alike."""
_SHORT = 2
"""So few consonants must all be there."""
_HAN = re.compile(r"[\u3400-\u9fff]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_TOKEN = re.compile(r"[^\W\d_][\w\u0900-\u0dff\u0e00-\u0e7f]*")
_SOUND = re.compile(r" (?:SYLLABLE|LETTER(?: SMALL)?) (?P<name>[A-Z]+)")
_FIRST = re.compile(r"[^AEIOU]*")
_SYLLABLES = ("HANGUL", "HIRAGANA", "KATAKANA")
_ARTICLES = re.compile(r"^(?:[وفبلك]?ال|[وفبل])(?=\w{2})")
_TOGETHER = (("sch", "s"), ("zh", "j"), ("ch", "j"), ("dj", "j"), ("sh", "s"), ("ts", "s"))
_ALIKE = str.maketrans("pvfdgqcxzr", "bbbtkkkssl", "aeiouywh")
_TWICE = re.compile(r"(.)\1+")
_LONGEST_SYLLABLE = 6


def tells_name(statement: str) -> bool:
    """Return whether a statement says what somebody is called."""
    return _naming().search(plain(statement)) is not None


def sounds_like(name: str, text: str, *, whole: bool = True) -> bool:
    """Return whether words of the text may be the name; if it has Japanese signs, they may.

    Not `whole`, a part of the name is enough: "Electronics" in a company's name is translated.
    """
    parts = [part for part in re.findall(r"[a-z]+", plain(name)) if len(part) > 1]
    if _HAN.search(text):
        return bool(_KANA.search(text)) or all(_is_read(part, text) for part in parts)
    words = [form for word in _TOKEN.findall(text) for form in (word, _ARTICLES.sub("", word))]
    found = (any(_is_like(_skeleton(part), _sounded(word)) for word in words) for part in parts)
    return all(found) if whole else any(found)


def _is_like(one: str, two: str) -> bool:
    if not one or not two or one[0] != two[0]:
        return False
    longer = len(one) > _SHORT and SequenceMatcher(None, one, two).ratio() >= _LIKE
    return longer or two.startswith(one)


@lru_cache(maxsize=1_024)
def _sounded(word: str) -> str:
    return _skeleton("".join(map(_sound, word)))


def _sound(char: str) -> str:
    """Return the sound of a character, as its name in Unicode gives it."""
    if char.isascii():
        return char.lower()
    name = unicodedata.name(char, "")
    found = _SOUND.search(name)
    if found is None or "MARBUTA" in name:
        return "n" if "ANUSVARA" in name else ""
    if name.startswith(_SYLLABLES):
        return found["name"].lower()
    first = _FIRST.match(found["name"])
    letters = first[0].lower() if first else ""
    return "ch" if letters == "c" else letters


def _skeleton(word: str) -> str:
    """Return the consonants of a word, of which those that sound alike are the same."""
    for letters, sound in _TOGETHER:
        word = word.replace(letters, sound)
    return _TWICE.sub(r"\1", word.translate(_ALIKE))


def _is_read(part: str, text: str) -> bool:
    """Return whether some Chinese characters in a row are read as these letters."""
    runs = (run[at:] for run in _HAN.findall(text) for at in range(len(run)))
    return any(_reads(part, signs) for signs in runs)


def _reads(part: str, signs: str) -> bool:
    """Return whether the first characters are read so. One that is not frequent may be anything."""
    if not part or not signs:
        return not part
    syllable = _pinyin(signs[0])
    if syllable is not None:
        return part.startswith(syllable) and _reads(part[len(syllable) :], signs[1:])
    return any(_reads(part[end:], signs[1:]) for end in range(1, _LONGEST_SYLLABLE + 1))


def _pinyin(sign: str) -> str | None:
    """Return the reading of a frequent character without its tone; None for any other."""
    try:
        code = sign.encode("gb2312")
    except UnicodeEncodeError:
        return None
    codes, readings = _readings()
    return readings[bisect_right(codes, code) - 1] if codes[0] <= code < b"\xd8" else None


@cache
def _readings() -> tuple[list[bytes], list[str]]:
    entries = list(_entries())
    return [code for code, _ in entries], [reading for _, reading in entries]


def _entries() -> Iterator[tuple[bytes, str]]:
    for entry in rows("pinyin", "first").split():
        yield entry[0].encode("gb2312"), entry[1:]


@cache
def _naming() -> re.Pattern[str]:
    return re.compile(any_word(listed("naming", "words")))
