"""The analyser of texts for the search index. It imports the modules for it on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from types import ModuleType


class LazyAnalyser:
    """Implements the port `Analyser`."""

    @cached_property
    def terms(self) -> Callable[[str], Sequence[str]]:
        """The function that returns the search terms of a text."""
        from erstwhile.search.terms import terms

        return terms

    def passages(self, text: str) -> Sequence[tuple[int, int, str]]:
        """Return where each passage of a text begins and ends, and its whole words."""
        spans = _splitting().split(text)
        if len(spans) == 1:
            return [(0, len(text), text)]
        found = zip(spans, _splitting().whole_words(text, spans), strict=True)
        return [(start, end, whole) for (start, end), whole in found]

    def asks(self, text: str) -> int:
        """Return the percentage of its sentences that only ask."""
        share: int = _splitting().asks(text)
        return share


def _splitting() -> ModuleType:
    from erstwhile.search import passages

    return passages
