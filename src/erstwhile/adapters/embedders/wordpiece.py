"""BERT's uncased WordPiece: the ids of the `tokenizers` package, without its dependencies.

Checked against it on every Unicode character. Only characters that Unicode added after version 8
differ, since that package has the tables of version 8.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

LONGEST_WORD = 100
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Turns text into the numbers of the word pieces in a vocabulary."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = [vocabulary["[UNK]"]]

    def __call__(self, text: str, most: int) -> list[int]:
        """Return at most `most` ids, with the marks of beginning and end."""
        inner = islice(self._ids(text), most - 2)
        return [self._vocabulary["[CLS]"], *inner, self._vocabulary["[SEP]"]]

    def _ids(self, text: str) -> Iterator[int]:
        for part in _SPECIAL.split(text):
            if _SPECIAL.fullmatch(part):
                yield self._vocabulary[part]
                continue
            for word in _words(part):
                yield from self._pieces(word)

    def _pieces(self, word: str) -> list[int]:
        """Return the ids of the longest pieces from the left; unknown if a rest has none."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start = 0
        while start < len(word):
            end = self._end_of_piece(word, start)
            if end == start:
                return self._unknown
            found.append(self._vocabulary[_piece(word, start, end)])
            start = end
        return found

    def _end_of_piece(self, word: str, start: int) -> int:
        ends = range(len(word), start, -1)
        return next((end for end in ends if _piece(word, start, end) in self._vocabulary), start)


def _piece(word: str, start: int, end: int) -> str:
    return f"##{word[start:end]}" if start else word[:end]


def _words(text: str) -> list[str]:
    apart = unicodedata.normalize("NFD", text.translate(_CLEANED))
    return apart.translate(_FOLDED).split()


class _Table(dict[int, str]):
    """The replacement of each character, computed on first use."""

    def __init__(self, become: Callable[[str], str]) -> None:
        self._become = become

    def __missing__(self, code: int) -> str:
        self[code] = result = self._become(chr(code))
        return result


def _cleaned(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co"):
        return ""
    if character.isspace():
        return " "
    if any(first <= ord(character) <= last for first, last in _IDEOGRAPHS):
        return f" {character} "
    return character


def _folded(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    if category.startswith("P") or character in string.punctuation:
        return f" {character} "
    return character.lower()


_CLEANED = _Table(_cleaned)
_FOLDED = _Table(_folded)
