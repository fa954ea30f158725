"""Counting tokens of texts that come again and again: headings, and the lines of facts.

A long text is counted part by part. Of a whole context most parts are known by then: they were
counted while it was packed, or for the context before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from typing import TypeAlias

from erstwhile.core.ports import Tokenizer

Count: TypeAlias = Callable[[str], int]

SHORT = 2_000
"""Characters. Longer texts are rarely the same again."""
MOST = 20_000

_counts: dict[bytes, int] = {}
"""By digests of tokenizer and text: what was erased must not live on here."""


def counting(tokenizer: Tokenizer) -> Count:
    """Counts each text once, and short ones once for all contexts of this process."""
    name = tokenizer.name.encode()[:64]

    @cache
    def count(text: str) -> int:
        if len(text) > SHORT:
            parts = tokenizer.parts(text)
            return sum(map(count, parts)) if len(parts) > 1 else tokenizer.count(text)
        digest = blake2b(text.encode(errors="surrogatepass"), key=name, digest_size=16).digest()
        known = _counts.get(digest)
        if known is None:
            if len(_counts) >= MOST:
                _counts.clear()
            known = _counts[digest] = tokenizer.count(text)
        return known

    return count
