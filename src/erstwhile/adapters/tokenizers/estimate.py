"""An estimate of token counts without a tokenizer: never too few, and not far too many.

The bounds follow from byte pair encoding: it leaves no two neighbours whose union is a token. So
where every pair of letters is a token, no two single letters stay side by side, and three letters
are at most two tokens. `pieces.txt` holds texts that are one token in both vocabularies of OpenAI:
pairs of letters, common words, characters (`scripts/generate_pieces.py` extracts them). All other
text counts one token per byte.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PARTS = re.compile(
    r"(?P<word> ?[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<spaces> {1,16}(?![A-Za-z]))"
    r"|(?P<ascii>[\x00-\x7f])|(?P<other>[^\x00-\x7f])"
)
_DIGITS_PER_TOKEN = 3
_BETWEEN_LINES = re.compile(r"\n(?= *[^\s/])")
"""A place that no token of OpenAI's vocabularies crosses.

They never join the end of a line with the next line, unless that begins with a line end, a space or
a slash. Spaces before other text begin a token of their own.
"""


class Vocabulary(NamedTuple):
    """Texts of one token; `halves` are first two bytes of characters, `words` follow a space."""

    characters: frozenset[str]
    halves: frozenset[bytes]
    pairs: frozenset[str]
    words: frozenset[str]
    bare_words: frozenset[str]


class EstimatingTokenizer:
    """An upper bound of the counts of OpenAI's o200k_base and cl100k_base."""

    name = "estimate"

    def count(self, text: str) -> int:
        vocabulary = _vocabulary()
        return sum(_cost(found, vocabulary) for found in _PARTS.finditer(text))

    def parts(self, text: str) -> list[str]:
        return lines(text)


def lines(text: str) -> list[str]:
    """Return the text in parts whose token counts add up to that of the whole."""
    *ended, last = _BETWEEN_LINES.split(text)
    return [f"{line}\n" for line in ended] + [last]


def _cost(found: re.Match[str], vocabulary: Vocabulary) -> int:
    part = found[0]
    match found.lastgroup:
        case "word":
            return 1 if _is_known(found, vocabulary) else _letters(part, vocabulary)
        case "digits":
            shifted = not _before(found).isascii()
            return len(part) if shifted else -(-len(part) // _DIGITS_PER_TOKEN)
        case "spaces":
            return 1 if len(part) == 1 or _takes_a_space(_after(found)) else 2
        case "other":
            return _character(part, vocabulary)
    return 1


def _is_known(found: re.Match[str], vocabulary: Vocabulary) -> bool:
    """Return whether a common word is surely one token, whatever its neighbours are."""
    part, after = found[0], _after(found)
    if not after.isascii() or after == "'":
        return False
    if part[0] == " ":
        return part[1:] in vocabulary.words
    return _before(found).isascii() and part in vocabulary.bare_words


def _before(found: re.Match[str]) -> str:
    """Return the character before a match; empty at the beginning of the text."""
    return found.string[max(found.start() - 1, 0) : found.start()]


def _after(found: re.Match[str]) -> str:
    return found.string[found.end() : found.end() + 1]


def _takes_a_space(after: str) -> bool:
    """Return whether the last of several spaces joins the next character, as with signs."""
    return after.isascii() and not after.isdigit() and (after.isprintable() or after in "\t\n\r")


def _letters(part: str, vocabulary: Vocabulary) -> int:
    letters = part.lstrip()
    paired = all(letters[at : at + 2] in vocabulary.pairs for at in range(len(letters) - 1))
    return (2 * len(part) + 1) // 3 if paired else len(letters)


def _character(character: str, vocabulary: Vocabulary) -> int:
    if character in vocabulary.characters:
        return 1
    written = character.encode(errors="surrogatepass")
    return len(written) - (written[:2] in vocabulary.halves)


@cache
def _vocabulary() -> Vocabulary:
    text = (Path(__file__).parent / "pieces.txt").read_text("utf-8")
    characters, halves, pairs, words, bare = text.rstrip("\n").split("\n")
    return Vocabulary(
        characters=frozenset(characters),
        halves=frozenset(bytes.fromhex(half) for half in halves.split()),
        pairs=frozenset(pairs.split()),
        words=frozenset(words.split()),
        bare_words=frozenset(bare.split()),
    )
