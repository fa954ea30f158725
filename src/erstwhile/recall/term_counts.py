"""A cache of term frequencies. A count is read again only after a change of its shelf."""

from __future__ import annotations

import json
from collections.abc import Mapping

from erstwhile.storage.view import View

_MOST = 100_000
"""The most counts that are kept: some megabytes."""


class TermCounts:
    """The number of passages with each marked term, and the change number of its shelf by then."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[int, int]] = {}

    def of(self, view: View, changes: Mapping[str, int]) -> dict[str, int]:
        """Return the counts of terms; `changes` has the change number of the shelf of each."""
        if len(self._counted) > _MOST:
            self._counted = {}
        kept = self._counted
        known = {
            term: kept[term][1] for term in changes if kept.get(term, _NEVER)[0] == changes[term]
        }
        if new := [term for term in changes if term not in known]:
            params = {"terms": json.dumps(new, ensure_ascii=False)}
            rows = view.rows("count_holding", params)
            known |= dict.fromkeys(new, 0) | dict(rows)
            kept |= {term: (changes[term], known[term]) for term in new}
        return known


_NEVER = (-1, 0)
