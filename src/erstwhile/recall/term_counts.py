"""How common words are: counted once, and again only after a change in their scope."""

from __future__ import annotations

import json
from collections.abc import Mapping

from erstwhile.storage.view import View

_MOST = 100_000
"""Counts that are kept: some megabytes."""


class TermCounts:
    """In how many facts marked terms stand, each with the changes that its scope had seen."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[int, int]] = {}

    def of(self, view: View, wanted: Mapping[str, int]) -> dict[str, int]:
        """Of terms that are given with the number of changes in their scope."""
        if len(self._counted) > _MOST:
            self._counted = {}
        kept = self._counted
        known = {
            each: kept[each][1] for each in wanted if kept.get(each, _NEVER)[0] == wanted[each]
        }
        if new := [each for each in wanted if each not in known]:
            terms = {"terms": json.dumps(new, ensure_ascii=False)}
            rows = view.rows("count_holding", terms, "facts")
            known |= dict.fromkeys(new, 0) | dict(rows)
            kept |= {each: (wanted[each], known[each]) for each in new}
        return known


_NEVER = (-1, 0)
