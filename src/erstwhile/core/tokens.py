"""The token counts of one call of a language model."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.core.errors import InvalidInputError

MAX_TOKENS = 100_000_000
"""The highest count in one call. It is more than any model uses, and keeps sums exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Token counts that do not overlap: `input` has no cached tokens."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, more: Tokens) -> Tokens:
        return Tokens(
            input=self.input + more.input,
            output=self.output + more.output,
            cache_read=self.cache_read + more.cache_read,
            cache_write=self.cache_write + more.cache_write,
        )

    def __post_init__(self) -> None:
        for name in ("input", "output", "cache_read", "cache_write"):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise InvalidInputError(f"{name} is not a number of tokens: {count!r}")
            if count > MAX_TOKENS:
                raise InvalidInputError(
                    f"{name} has {count:,} tokens, {MAX_TOKENS:,} are allowed for one call",
                    remedy="record each call by itself",
                )
