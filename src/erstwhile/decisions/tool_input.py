"""The input of a tool: its canonical JSON, its keyed digest, and its words for comparison.

What is stored has its secrets masked. So that a mask can hide nothing, the digest covers the input
as it was; without the key of the scope, a guess cannot be tested against it. A request and a
recorded decision go through the same steps, so that similarity is symmetric.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.secrets.masking import mask_json

MAX_INPUT = 200_000
LONGEST_VALUE = 400
"""The compared length of each value, so that a long file content does not outweigh its path."""
LONGEST_TEXT = 2_000
OTHER_TOOL = 0.8
"""The factor for the similarity to a call of another tool."""

_WORD = re.compile(r"\w+")
_ASCII_WORDS = "".join(chr(n).lower() if _WORD.match(chr(n)) else " " for n in range(128))
"""A translation that separates ASCII words by blanks. It is quicker than a search."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ToolInput:
    """The tool and the input of a call, with secrets masked, and as they were."""

    tool: str
    masked: Any
    whole_tool: str = field(repr=False)
    """The tool as it was; it is never stored."""
    whole: str = field(repr=False)
    """The canonical JSON of the input as it was; it is never stored."""

    def digest(self, key: bytes, names: Iterable[str] | None = None) -> bytes:
        """Return the keyed digest of the tool and its input, or of these fields of the input."""
        text = self.whole
        if names is not None:
            given = json.loads(text)
            text = to_json({name: given[name] for name in names if name in given})
        return keyed(key, f"{self.whole_tool}\0{text}")


class Digests(NamedTuple):
    """The keyed digests of a goal, and of a tool with its input."""

    goal: bytes
    input: bytes


def keyed(key: bytes, text: str) -> bytes:
    """Return the keyed digest of a text."""
    return hmac.digest(key, text.encode(), "sha256")


def read_input(tool: str, whole_tool: str, value: Any) -> ToolInput:
    """Check the input of a tool, and mask its secrets. `tool` is the masked name of the tool."""
    whole = canonical(value)
    return ToolInput(tool, mask_json(json.loads(whole)), whole_tool, whole)


def canonical(value: Any) -> str:
    """Return JSON with sorted keys, equal for equal inputs."""
    try:
        _check(value)
        text = to_json(value)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the input cannot be written as JSON ({type(error).__name__})",
            remedy="use only JSON types, text keys, and no NUL character",
        ) from None
    if len(text) > MAX_INPUT:
        raise TooLargeError(
            f"the input has {len(text):,} characters as JSON, {MAX_INPUT:,} are allowed",
            remedy="pass a reference to the long value",
        )
    return text


def to_json(value: Any) -> str:
    """Return an input as JSON with sorted keys; it was checked before."""
    return json.dumps(
        value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")
    )


def compared_text(tool: str, canonical_input: str) -> str:
    """Return the text of a canonical input that is embedded and compared: its values.

    Keys are left out: they are the same in every call of a tool.
    """
    values = " ".join(each[:LONGEST_VALUE] for each in _values(json.loads(canonical_input)))
    return values[:LONGEST_TEXT].strip() or tool


def split_words(text: str) -> list[str]:
    """Return the words of a text; pairs of characters for words outside ASCII."""
    if text.isascii():  # fast path for most texts
        return text.translate(_ASCII_WORDS).split()
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii() or len(word) < 3:
            found.append(word)
        else:
            found += (word[at : at + 2] for at in range(len(word) - 1))
    return found


def word_similarity(words: frozenset[str], others: Sequence[str], floor: float = 0.0) -> float:
    """Return the share of common words from 0 to 1; it is symmetric.

    A similarity that must be below the floor is returned as 0, which is faster: an agent waits for
    thousands of comparisons.
    """
    common = len(words.intersection(others))
    if not common or common < floor * floor * len(words) - _ROUNDING:
        return 0.0
    return common / sqrt(len(words) * len(set(others)))


def _values(value: Any) -> Iterator[str]:
    match value:
        case None:
            return
        case str():
            yield " ".join(value.split())
        case dict():
            for each in value.values():
                yield from _values(each)
        case list():
            for each in value:
                yield from _values(each)
        case _:
            yield json.dumps(value)


def _check(value: Any) -> None:
    """Raise if a key is not text (1 would become "1"), or a text has a NUL character."""
    match value:
        case str():
            if "\0" in value:
                raise ValueError("a NUL")
        case Mapping():
            if not all(isinstance(key, str) for key in value):
                raise TypeError("a key is not text")
            for key, each in value.items():
                _check(key)
                _check(each)
        case list() | tuple():
            for each in value:
                _check(each)
