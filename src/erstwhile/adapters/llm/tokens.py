"""Counts of tokens, as servers say them."""

from __future__ import annotations

from erstwhile.core.tokens import MAX_TOKENS


def count(usage: object, name: str) -> int:
    """The count of that name; 0 if the server says none, or one that cannot be."""
    said = getattr(usage, name, None)
    if isinstance(said, bool) or not isinstance(said, int):
        return 0
    return said if 0 <= said <= MAX_TOKENS else 0
