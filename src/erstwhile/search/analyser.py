"""The analyser of texts for the search index. It imports the modules for it on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property


class LazyAnalyser:
    """Implements the port `Analyser`."""

    @cached_property
    def terms(self) -> Callable[[str], Sequence[str]]:
        """The function that returns the search terms of a text."""
        from erstwhile.search.terms import terms

        return terms

    def passages(self, text: str) -> Sequence[tuple[int, int, str]]:
        """Return where each passage of a text begins and ends, and its whole words."""
        from erstwhile.search.passages import split, whole_words

        spans = split(text)
        if len(spans) == 1:
            return [(0, len(text), text)]
        found = zip(spans, whole_words(text, spans), strict=True)
        return [(start, end, whole) for (start, end), whole in found]

    def asks(self, text: str) -> int:
        """Return the percentage of its sentences that only ask."""
        from erstwhile.search.passages import asks

        return asks(text)
