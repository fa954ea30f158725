"""Count tokens: each text once, long texts in parts, and never with an untyped error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from typing import TypeAlias

from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Tokenizer, Tokenizers

Count: TypeAlias = Callable[[str], int]
"""Returns the number of tokens of a text."""

_LONGEST = 10_000
"""The characters that a tokenizer gets at once. Some refuse long texts, or are slow with them."""
_CACHED_LENGTH = 2_000
"""The longest text, in characters, whose count is kept for other contexts."""
_CACHE_SIZE = 20_000

_counts: dict[bytes, int] = {}
"""Cached counts. The key is a digest, so that erased text is not kept here."""


def token_counter(tokenizers: Tokenizers) -> Count:
    """Return a function that counts tokens in parts, and caches the counts of short parts.

    Pieces are counted while a context is packed. The parts of the whole text are mostly theirs, so
    that counting it takes no time.
    """
    tokenizer, estimate = tokenizers.default, tokenizers.estimate

    @cache
    def count_part(text: str) -> int:
        if len(text) > _CACHED_LENGTH:
            return sum(_safe_count(each, tokenizer, estimate) for each in _stretches(text))
        return _cached_count(text, tokenizer, estimate)

    def count(text: str) -> int:
        return sum(map(count_part, tokenizer.parts(text)))

    return count


def _cached_count(text: str, tokenizer: Tokenizer, estimate: Tokenizer) -> int:
    key = tokenizer.name.encode()[:64]
    digest = blake2b(text.encode(errors="surrogatepass"), key=key, digest_size=16).digest()
    known = _counts.get(digest)
    if known is None:
        if len(_counts) >= _CACHE_SIZE:
            _counts.clear()
        known = _counts[digest] = _safe_count(text, tokenizer, estimate)
    return known


def _safe_count(text: str, tokenizer: Tokenizer, estimate: Tokenizer) -> int:
    """Return the tokens of a text; if the tokenizer fails, those of the estimate, never too few."""
    try:
        return tokenizer.count(text)
    except Exception as error:  # a tokenizer is foreign code, and a prompt must not fail with it
        log_failure(__name__, "tokens are estimated: the tokenizer failed", error=error)
        return estimate.count(text)


def _stretches(text: str) -> Iterator[str]:
    """Yield a text in stretches that end before a space, where tokens begin."""
    start = 0
    while len(text) - start > _LONGEST:
        gap = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        end = gap if gap > 0 else start + _LONGEST
        yield text[start:end]
        start = end
    yield text[start:]
