"""A part of a longer list, and where the next part begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, overload

from erstwhile.core.errors import InvalidInputError

Item = TypeVar("Item")
MAX_LIMIT = 1_000
NEWEST = 2**62
"""Later than every number by which a list goes."""


@dataclass(frozen=True, slots=True)
class Page(Sequence[Item], Generic[Item]):
    """Behaves like a list; pass `next` as `cursor` for what follows, until it is None."""

    items: tuple[Item, ...]
    next: str | None = None

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self.items[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


_Known = TypeVar("_Known", bound=_Identified)


def page_by_id(found: Sequence[_Known], wanted: int) -> Page[_Known]:
    """The first of what was found, where one more than wanted was asked for, in order of ids."""
    items = tuple(found[:wanted])
    return Page(items, items[-1].id if len(found) > wanted else None)


def checked_limit(limit: int) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInputError(
            f"limit must lie between 1 and {MAX_LIMIT:,}, not {limit!r}",
            remedy="page with the cursor for more",
        )
    return limit


def checked_number(cursor: str) -> int:
    """The cursor of a list that goes by numbers."""
    digits = isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()
    if not digits or len(cursor) > 18:
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return int(cursor)
