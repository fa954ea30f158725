"""The input of a tool: its one written form, and what of it is compared.

A request and a recorded decision go through the same steps, and what was chosen takes no part in
them, so that the one is as near to the other as the other to the one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.secrets.masking import mask_json

MAX_INPUT = 200_000
LONGEST_VALUE = 400
"""Of each value so much is compared: else a file's content would hide the path beside it."""
LONGEST_TEXT = 2_000
OTHER_TOOL = 0.8
"""The same words said to another tool are this much less alike."""

_WORD = re.compile(r"\w+")
_ASCII_WORDS = "".join(chr(n).lower() if _WORD.match(chr(n)) else " " for n in range(128))
"""What becomes of each character so that blanks part the words: quicker than looking for them."""
_ROUNDING = 1e-9


def canonical(value: Any) -> str:
    """JSON with its keys sorted and every secret masked: equal inputs are written alike."""
    try:
        _check(value)
        text = written(mask_json(value))
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the input cannot be written as JSON ({type(error).__name__})",
            remedy="use only JSON's own types, with text keys, and no NUL",
        ) from None
    if len(text) > MAX_INPUT:
        raise TooLargeError(
            f"the input has {len(text):,} characters as JSON, {MAX_INPUT:,} are allowed",
            remedy="give a reference to what is long",
        )
    return text


def written(value: Any) -> str:
    """An input that was checked and masked before, in that form."""
    return json.dumps(
        value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")
    )


def compared_text(tool: str, canonical_input: str) -> str:
    """What is embedded and searched of a canonical input: its values, without their keys.

    Keys are the same in every call of a tool, and would make all of them look alike.
    """
    values = " ".join(each[:LONGEST_VALUE] for each in _values(json.loads(canonical_input)))
    return values[:LONGEST_TEXT].strip() or tool


def words(text: str) -> list[str]:
    """The words of a text; of scripts that may set no spaces, their pairs of letters."""
    if text.isascii():  # as most are
        return text.translate(_ASCII_WORDS).split()
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii() or len(word) < 3:
            found.append(word)
        else:
            found += (word[at : at + 2] for at in range(len(word) - 1))
    return found


def alike(ours: frozenset[str], theirs: Sequence[str], floor: float = 0.0) -> float:
    """How much of the words is common to both, from 0 to 1, whichever is asked of which.

    What is sure to lie below the floor is 0, and not counted out: an agent waits for thousands.
    """
    common = len(ours.intersection(theirs))
    if not common or common < floor * floor * len(ours) - _ROUNDING:
        return 0.0
    return common / sqrt(len(ours) * len(set(theirs)))


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
    """A key 1 would be written like the key "1", and no engine stores a NUL."""
    match value:
        case str():
            if "\0" in value:
                raise ValueError("a NUL")
        case Mapping():
            if not all(isinstance(key, str) for key in value):
                raise TypeError("a key is no text")
            for key, each in value.items():
                _check(key)
                _check(each)
        case list() | tuple():
            for each in value:
                _check(each)
