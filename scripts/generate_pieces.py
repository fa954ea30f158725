"""Write src/erstwhile/adapters/token_pieces.txt from the vocabularies in bpe-openai.

The file has five lines: characters, first halves of characters (in hexadecimal), pairs of letters,
common words after a space, and the words that are one token without a space, too. Each entry is one
token in both vocabularies.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from bpe_openai import Encoding, get_encoding

TARGET = Path(__file__).resolve().parents[1] / "src/erstwhile/adapters/token_pieces.txt"
ENCODINGS = ("cl100k_base", "o200k_base")
WORDS = 8_000
_LETTERS = string.ascii_letters
_TOUCHING = string.punctuation + "\t"
_WORD = re.compile(rb" [A-Za-z]{2,}")


def main() -> None:
    encodings = [get_encoding(name) for name in ENCODINGS]
    vocabularies = [set(each.token_byte_values()) - {b""} for each in encodings]
    common = set.intersection(*vocabularies)
    halves = sorted(each for each in common if _is_half(each))
    pairs = sorted(
        first + second
        for first, second in product(_LETTERS, _LETTERS)
        if (first + second).encode() in common
    )
    words = _words(encodings[-1], common)
    lines = (
        "".join(sorted(_characters(encodings, vocabularies, common))),
        " ".join(each.hex() for each in halves),
        " ".join(pairs),
        " ".join(sorted(words)),
        " ".join(sorted(_bare(encodings, words, common))),
    )
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")


def _is_half(token: bytes) -> bool:
    """Return whether a token is the first two bytes of a longer character."""
    return len(token) == 2 and token[0] >= 0xE0 and 0x80 <= token[1] < 0xC0


def _characters(
    encodings: list[Encoding], vocabularies: list[set[bytes]], common: set[bytes]
) -> Iterator[str]:
    """Yield the characters that stay one token beside tokens that split a character."""
    ragged = [each for vocabulary in vocabularies for each in vocabulary if _is_ragged(each)]
    before = {_whole(each) for each in ragged if not _is_inside(each)} | {" ", "a", "."}
    leads, tails = _cutting(ragged)
    for character in sorted(_single(common)):
        written = character.encode()
        if written[0] in leads or any(written.endswith(tail) for tail in tails):
            continue
        if all(
            _length(encodings, part + character) <= _length(encodings, part) + 1 for part in before
        ):
            yield character


def _cutting(ragged: Iterable[bytes]) -> tuple[set[int], set[bytes]]:
    """Return the first bytes and the ends of characters that a token may split."""
    leads, tails = set[int](), set[bytes]()
    for token in filter(_is_inside, ragged):
        tail = token[: len(token) - len(_begun(token))]
        rest = token[len(tail) :]
        try:
            if rest.decode()[0].isascii():
                tails.add(tail)
        except UnicodeDecodeError as error:
            leads.add(rest[error.start])
    return leads, tails


def _single(common: set[bytes]) -> set[str]:
    texts = {each.decode(errors="ignore") for each in common if each[0] >= 0xC2}
    return {each for each in texts if len(each) == 1 and each.encode() in common}


def _is_ragged(token: bytes) -> bool:
    """Return whether a token holds a part of one character and bytes of another."""
    begun = _begun(token)
    torn = begun != token or not _is_whole(token)
    return torn and len(begun.decode(errors="replace")) > (begun == token)


def _begun(token: bytes) -> bytes:
    """Return a token without the end of a character that began before it."""
    return token.lstrip(bytes(range(0x80, 0xC0)))


def _is_whole(token: bytes) -> bool:
    return token.decode(errors="ignore").encode() == token


def _is_inside(token: bytes) -> bool:
    return 0x80 <= token[0] < 0xC0


def _whole(token: bytes) -> str:
    return token.decode(errors="ignore")


def _words(latest: Encoding, common: set[bytes]) -> list[str]:
    """Return the most common words that are one token with a space before them."""
    spaced = [each for each in common if _WORD.fullmatch(each)]
    spaced.sort(key=latest.encode_single_token)
    return [token.decode().lstrip() for token in spaced[:WORDS]]


def _bare(encodings: list[Encoding], words: Iterable[str], common: set[bytes]) -> Iterator[str]:
    """Yield the words that are one token without a space, too, after any punctuation."""
    for word in words:
        whole = all(_length(encodings, sign + word) <= 2 for sign in _TOUCHING)
        if whole and word.encode() in common:
            yield word


def _length(encodings: list[Encoding], text: str) -> int:
    return max(len(each.encode_ordinary(text)) for each in encodings)


if __name__ == "__main__":
    main()
