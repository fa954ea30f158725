"""The token budget: how it is divided among sections, and how texts are counted.

The prefix is filled first. Then each section gets its share of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from hashlib import blake2b
from typing import TypeAlias

from erstwhile.context.model import PREFIX, Section
from erstwhile.core.ports import Tokenizer

Count: TypeAlias = Callable[[str], int]
"""Returns the number of tokens of a text."""

SHARES = {
    Section.RULES: 40, Section.BLOCKS: 30, Section.PROFILE: 20, Section.PROJECT: 10,
    Section.FACTS: 40, Section.CONVERSATIONS: 10, Section.LESSONS: 10, Section.OUTCOMES: 5,
    Section.OBSERVATIONS: 5, Section.TASKS: 5, Section.HISTORY: 25,
}  # fmt: skip
"""The relative share of each section. Hints have none: they take the tokens they need."""
_SMALLEST_ITEM = 20
"""The fewest tokens of an item: its id and its date."""
_ONE_ITEM = 60
"""The usual tokens of an item and its heading."""
_FACT = 50
"""The usual tokens of a fact."""
_MOST_FACTS = 20
_CACHED_LENGTH = 2_000
"""The longest text, in characters, whose count is cached. Longer texts rarely repeat."""
_CACHE_SIZE = 20_000

_counts: dict[bytes, int] = {}
"""Cached counts. The key is a digest, so that erased text is not kept here."""


def prefix_room(tokens: int, needs: Collection[Section]) -> int:
    """Return the tokens of the prefix: half, or all without a tail. The tail has no influence."""
    return tokens // 2 if set(needs) - PREFIX else tokens


def history_room(tokens: int) -> int:
    """Return the tokens of history; a longer history is summarised."""
    return tokens * SHARES[Section.HISTORY] // 100


def allowance(room: int, section: Section, ahead: Sequence[Section]) -> int:
    """Return the tokens of a section, given the tokens left for it and the sections after it.

    It is at least enough for one item: a smaller share would be useless.
    """
    share = room * SHARES[section] // sum(SHARES[each] for each in ahead)
    return min(room, max(share, _ONE_ITEM))


def most_items(room: int, most: int) -> int:
    """Return how many items of a section are worth reading."""
    return max(1, min(room // _SMALLEST_ITEM, most))


def fact_limit(tokens: int) -> int:
    """Return how many facts to recall."""
    return max(5, min(tokens // _FACT, _MOST_FACTS))


def token_counter(tokenizer: Tokenizer) -> Count:
    """Return a function that counts tokens and caches the counts of short texts.

    A long text is counted in parts. Most parts of a context are counted while it is packed.
    """
    name = tokenizer.name.encode()[:64]

    @cache
    def count(text: str) -> int:
        if len(text) > _CACHED_LENGTH:
            parts = tokenizer.parts(text)
            return sum(map(count, parts)) if len(parts) > 1 else tokenizer.count(text)
        digest = blake2b(text.encode(errors="surrogatepass"), key=name, digest_size=16).digest()
        known = _counts.get(digest)
        if known is None:
            if len(_counts) >= _CACHE_SIZE:
                _counts.clear()
            known = _counts[digest] = tokenizer.count(text)
        return known

    return count
