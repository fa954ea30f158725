"""The analyser of texts for the search index. It imports the modules for it on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import ModuleType


@cache
def _library() -> tuple[ModuleType, ...]:
    from erstwhile.search import passages, terms

    return terms, passages


class LazyAnalyser:
    """Implements the port `Analyser`."""

    def terms(self, text: str) -> Sequence[str]:
        """Return the search terms of a text."""
        found: Sequence[str] = _library()[0].terms(text)
        return found

    def passages(self, text: str) -> Sequence[tuple[int, int, str]]:
        """Return where each passage of a text begins and ends, and its whole words."""
        _, passages = _library()
        spans: list[tuple[int, int]] = passages.split(text)
        if len(spans) == 1:
            return [(0, len(text), text)]
        found = zip(spans, passages.whole_words(text, spans), strict=True)
        return [(start, end, whole) for (start, end), whole in found]
