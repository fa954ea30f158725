"""Counting tokens without a tokenizer: never too few, and not far too many.

How byte pair encoding ends gives the bounds: no two neighbours are left whose union is a token. So
where every pair of letters is a token, no two single letters stay side by side, and at most two
tokens fall on three letters. `pieces.txt` holds what is one token in both of OpenAI's vocabularies
(`scripts/generate_pieces.py` takes it from them): pairs of letters, common words, characters.
Everything else counts as many tokens as it has bytes.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from erstwhile.adapters.tokenizers.cutting import lines

_PARTS = re.compile(
    r"(?P<word> ?[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<spaces> {1,16}(?![A-Za-z]))"
    r"|(?P<ascii>[\x00-\x7f])|(?P<other>[^\x00-\x7f])"
)
_DIGITS_PER_TOKEN = 3


class Pieces(NamedTuple):
    """What is one token; `halves` are the first two bytes of characters, `words` follow a space."""

    characters: frozenset[str]
    halves: frozenset[bytes]
    pairs: frozenset[str]
    words: frozenset[str]
    bare_words: frozenset[str]


class EstimatingTokenizer:
    """An upper bound of what OpenAI's o200k_base and cl100k_base count."""

    name = "estimate"

    def count(self, text: str) -> int:
        pieces = _pieces()
        return sum(_cost(found, pieces) for found in _PARTS.finditer(text))

    def parts(self, text: str) -> list[str]:
        return lines(text)


def _cost(found: re.Match[str], pieces: Pieces) -> int:
    part = found[0]
    match found.lastgroup:
        case "word":
            return 1 if _is_known(found, pieces) else _letters(part, pieces)
        case "digits":
            shifted = not _before(found).isascii()
            return len(part) if shifted else -(-len(part) // _DIGITS_PER_TOKEN)
        case "spaces":
            return 1 if len(part) == 1 or _takes_a_space(_after(found)) else 2
        case "other":
            return _character(part, pieces)
    return 1


def _is_known(found: re.Match[str], pieces: Pieces) -> bool:
    """A common word counts one, unless what touches it may be cut together with it."""
    part, after = found[0], _after(found)
    if not after.isascii() or after == "'":
        return False
    if part[0] == " ":
        return part[1:] in pieces.words
    return _before(found).isascii() and part in pieces.bare_words


def _before(found: re.Match[str]) -> str:
    """The character before it; nothing at the beginning of the text."""
    return found.string[max(found.start() - 1, 0) : found.start()]


def _after(found: re.Match[str]) -> str:
    return found.string[found.end() : found.end() + 1]


def _takes_a_space(after: str) -> bool:
    """Whether the last of several spaces becomes a part of what follows, as it does of signs."""
    return after.isascii() and not after.isdigit() and (after.isprintable() or after in "\t\n\r")


def _letters(part: str, pieces: Pieces) -> int:
    letters = part.lstrip()
    paired = all(letters[at : at + 2] in pieces.pairs for at in range(len(letters) - 1))
    return (2 * len(part) + 1) // 3 if paired else len(letters)


def _character(character: str, pieces: Pieces) -> int:
    if character in pieces.characters:
        return 1
    written = character.encode(errors="surrogatepass")
    return len(written) - (written[:2] in pieces.halves)


@cache
def _pieces() -> Pieces:
    text = (Path(__file__).parent / "pieces.txt").read_text("utf-8")
    characters, halves, pairs, words, bare = text.rstrip("\n").split("\n")
    return Pieces(
        characters=frozenset(characters),
        halves=frozenset(bytes.fromhex(half) for half in halves.split()),
        pairs=frozenset(pairs.split()),
        words=frozenset(words.split()),
        bare_words=frozenset(bare.split()),
    )
