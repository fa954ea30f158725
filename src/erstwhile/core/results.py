"""Results shared by several verbs: pages, search hits, statistics and erasure receipts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar, overload

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import MAX_ID, id_in_cursor
from erstwhile.core.public_record import PublicRecord, html_table, public_record, to_json
from erstwhile.core.scope import Scope
from erstwhile.secrets.masking import masked_repr

_SURE = 0.8
_ENOUGH = 3
"""The lowest number of words for a guess: a few words are often names, commands or loan words."""
Item = TypeVar("Item")
MAX_LIMIT = 1_000
_FIRST = 2
"""The number of records in the `repr` of a page."""
NEWEST = 2**62
"""A number that is higher than every position in a list."""


class _Listed(PublicRecord, Sequence[Item], Generic[Item]):
    """A result that behaves like a list of the records in its first field."""

    __slots__ = ()

    def _as_sequence(self) -> tuple[Item, ...]:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._as_sequence()[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._as_sequence())

    def __len__(self) -> int:
        return len(self._as_sequence())

    def to_dicts(self, at: datetime | None = None) -> list[Any]:
        """Return each item in the types of JSON, such as for `pandas.DataFrame`."""
        return [to_json(each, at) for each in self._as_sequence()]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._as_sequence()[:_FIRST]))
        rest = ", …" if len(self) > _FIRST else ""
        title = f"{type(self).__name__} of {len(self):,}"
        return f"<{title}: {shown}{rest}>" if shown else f"<{title}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_table(self._as_sequence(), f"{type(self).__name__} of {len(self):,}")


@masked_repr
@dataclass(frozen=True, slots=True, repr=False)
class Page(_Listed[Item]):
    """A page behaves like a list. Pass `next` as `cursor` for the next page, until it is None."""

    items: tuple[Item, ...]
    next: str | None = None

    def _as_sequence(self) -> tuple[Item, ...]:
        return self.items


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


_Known = TypeVar("_Known", bound=_Identified)


class PageRequest:
    """The checked `limit` and `cursor` of a list from the newest id to the oldest."""

    def __init__(self, limit: int, cursor: str | None) -> None:
        self.limit = checked_limit(limit)
        self._before = MAX_ID if cursor is None else id_in_cursor(cursor)

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


def all_items(list_page: Callable[..., Page[Item]], *given: Any, **filters: Any) -> Iterator[Item]:
    """Yield the items of all pages of a `list` method."""
    cursor: str | None = None
    while True:
        page = list_page(*given, limit=MAX_LIMIT, cursor=cursor, **filters)
        yield from page
        cursor = page.next
        if cursor is None:
            return


def checked_int(
    value: int, name: str, low: int = 0, high: int = NEWEST, *, remedy: str = ""
) -> int:
    """Return a whole number. Raise InvalidInputError if it is another value or out of range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        limits = f"{low} or more" if high == NEWEST else f"between {low} and {high:,}"
        raise InvalidInputError(
            f"{name} must be a whole number, {limits}, not {value!r}", remedy=remedy
        )
    return value


def checked_limit(limit: int) -> int:
    """Return the limit of a page. Raise InvalidInputError if it is out of range."""
    remedy = "use the cursor to read more pages"
    return checked_int(limit, "limit", 1, MAX_LIMIT, remedy=remedy)


def checked_number(cursor: str) -> int:
    """Return the number in a cursor. Raise InvalidInputError if it is not a number from 1."""
    digits = isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()
    if not digits or len(cursor) > 18 or int(cursor) == 0:
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return int(cursor)


AnyHit = TypeVar("AnyHit")


@public_record
class Trace(PublicRecord):
    """The analysis of a query, and the steps to its answer."""

    terms: tuple[str, ...]
    """The terms that were searched for."""
    names: tuple[str, ...]
    """Known entities in the query. They are left out of the embedded text."""
    embedded: str | None
    """The text that was embedded, if any."""
    period: tuple[datetime, datetime] | None
    """The period that the query names, if any."""
    candidates: int
    """The number of facts that were compared with the query."""
    below_floor: int
    """The number of candidates that were not relevant enough."""
    unknown: tuple[str, ...] = ()
    """Names in the query that occur nowhere in the searched memory."""
    passages: int = 0
    """The size of the searched memory."""
    anchor: str | None = None
    """The id of the record that tells when the event was at which the period ends or begins."""
    notices: tuple[str, ...] = ()
    """Reasons why a part of the search was not possible, such as an embedder that is down."""


@masked_repr
@dataclass(frozen=True, slots=True, repr=False)
class Hits(_Listed[AnyHit]):
    """An immutable sequence of hits, best first; `trace` is None where a search keeps none."""

    hits: tuple[AnyHit, ...]
    trace: Trace | None = None

    def _as_sequence(self) -> tuple[AnyHit, ...]:
        return self.hits


@public_record
class ScopeCount(PublicRecord):
    """A scope, and the number of its live facts."""

    _shown = ("scope", "facts")
    scope: Scope
    facts: int


@public_record
class Stats(PublicRecord):
    """The numbers of visible facts by state; `kinds` counts the live ones by kind.

    `bytes` is the size of the whole store, and None for a memory with a scope.
    """

    live: int
    quarantined: int
    upcoming: int
    retired: int
    deleted: int
    kinds: Mapping[str, int] = field(hash=False)
    recorded: Mapping[str, int] = field(hash=False)
    """The numbers of facts that are not deleted by the day on which they were stored, in UTC."""
    used: Mapping[str, int] = field(hash=False)
    """The numbers of facts by the day on which a reader's prompts last used them: "2026-03-01"."""
    outbox: int
    """The number of texts that wait for their vector."""
    engine: str
    schema: int
    bytes: int | None
    location: str | None = None
    """The location of the store, without a password. Only the command line shows it."""


@public_record
class Receipt(PublicRecord):
    """The number of destroyed records of each kind, and the ids of the erased records."""

    at: datetime
    ids: tuple[str, ...]
    facts: int = 0
    versions: int = 0
    tags: int = 0
    mentions: int = 0
    relations: int = 0
    entities: int = 0
    blocks: int = 0
    decisions: int = 0
    conversations: int = 0
    messages: int = 0
    summaries: int = 0
    sessions: int = 0
    identities: int = 0
    records: int = 0
    audit_entries: int = 0


@public_record
class Erasure(PublicRecord):
    """The erasure of many records in some scopes, or the preview of it."""

    scopes: tuple[Scope, ...]
    """The scopes with something to erase, and for a whole scope also those that are empty now."""
    collections: Mapping[str, int] = field(hash=False)
    """The number of records of each collection. Empty collections are left out."""
    receipt: Receipt | None = None
    """None for a preview, which destroys nothing."""


@public_record
class BulkChange(PublicRecord):
    """The deletion or restoration of many facts, or the preview of it."""

    facts: int
    """The number of facts that were changed, or would be."""
    at: datetime | None = None
    """The time of the first change; None if nothing was changed."""
    skipped: tuple[str, ...] = ()
    """The ids of facts that stay deleted, because other facts have taken their place."""


@public_record
class Flushed(PublicRecord):
    """The work that still waits after `memory.flush`."""

    texts: int
    """The texts without a vector. Until they have one, they are found by words alone."""
    conversations: int
    """The conversations with turns to learn from."""
    embeds: bool
    """Whether this process has an embedder; else the texts wait for another process."""
    learns: bool
    """Whether this process learns in the background; else the turns wait for another process."""

    @property
    def done(self) -> bool:
        """Whether all is done that this process does."""
        return not ((self.texts and self.embeds) or (self.conversations and self.learns))


@public_record
class LanguageGuess(PublicRecord):
    """The probable language of a text; `language` is None if it is unknown."""

    language: str | None
    """A code such as "de"."""
    confidence: float
    words: int
    """The number of words of prose, without code, links and file names."""

    @property
    def settled(self) -> bool:
        """Whether the guess is certain enough for a stored preference."""
        return self.language is not None and self.confidence >= _SURE and self.words >= _ENOUGH
