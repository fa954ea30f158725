"""Pages of a list, and cursors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, overload

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import HIGHEST, id_range
from erstwhile.secrets.masking import masked_repr

Item = TypeVar("Item")
MAX_LIMIT = 1_000
NEWEST = 2**62
"""A number that is higher than every position in a list."""


@masked_repr
@dataclass(frozen=True, slots=True)
class Page(Sequence[Item], Generic[Item]):
    """A page behaves like a list. Pass `next` as `cursor` for the next page, until it is None."""

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


class PageRequest:
    """The checked `limit` and `cursor` of a list that goes from the newest id to the oldest."""

    def __init__(self, limit: int, cursor: str | None) -> None:
        self.limit = checked_limit(limit)
        self._before = HIGHEST if cursor is None else id_range(cursor)[0]

    @property
    def params(self) -> dict[str, str | int]:
        """The parameters of the statement, which selects one row more than the page holds."""
        return {"before": self._before, "limit": self.limit + 1}

    def page(self, found: Sequence[_Known]) -> Page[_Known]:
        return cut_page(found, self.limit, lambda item: item.id)


def cut_page(found: Sequence[Item], limit: int, cursor: Callable[[Item], str]) -> Page[Item]:
    """Return the first `limit` items as a page; an extra item means that there is a next page.

    `cursor` makes the cursor from the last item of the page.
    """
    items = tuple(found[:limit])
    return Page(items, cursor(items[-1]) if len(found) > limit else None)


def checked_limit(limit: int) -> int:
    """Return the limit. Raise InvalidInputError if it is out of range."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInputError(
            f"limit must lie between 1 and {MAX_LIMIT:,}, not {limit!r}",
            remedy="use the cursor to read more pages",
        )
    return limit


def checked_number(cursor: str) -> int:
    """Return the number in a cursor. Raise InvalidInputError if it is not a number."""
    digits = isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()
    if not digits or len(cursor) > 18:
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return int(cursor)
