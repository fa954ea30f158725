"""Short citations: the number by which a text names an item.

It follows from the id of the record, so that a record keeps its number from one context to the
next. Three digits are one token. Where two records would have the same number, the later one gets
more digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

_SHORT, _STEP = 3, 3
"""Digits of a citation, and further digits after a collision: three digits are one token."""
_ALL = 18


class Citations:
    """The citations of one context."""

    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._taken: set[str] = set()

    def reserve(self, ids: Iterable[str]) -> None:
        """Assign citations to records, the oldest first: a new record changes no other citation."""
        for id in sorted(ids):
            self.of(id)

    def of(self, id: str) -> str:
        """Return the citation of a record."""
        known = self._by_id.get(id)
        return self._assign(id) if known is None else known

    def _assign(self, id: str) -> str:
        digits = _digits(id)
        lengths = range(_SHORT, _ALL, _STEP)
        shortened = (digits[:length] for length in lengths)
        free = next((each for each in shortened if each not in self._taken), digits)
        self._by_id[id] = free
        self._taken.add(free)
        return free


def _digits(id: str) -> str:
    """Return digits that follow from an id. The first is not zero, as in other numbers."""
    number = int.from_bytes(blake2b(id.encode(), digest_size=8).digest())
    return f"{1 + number % 9}{number // 9 % 10 ** (_ALL - 1):0{_ALL - 1}d}"
