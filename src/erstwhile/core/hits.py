"""The answer to a search: hits, best first, and a trace of how they were found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar, overload

from erstwhile.secrets.masking import masked_repr

AnyHit = TypeVar("AnyHit")


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """How a query was understood and answered."""

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
    notices: tuple[str, ...]
    """Reasons why a part of the search was not possible, such as an embedder that is down."""


@masked_repr
@dataclass(frozen=True, slots=True)
class Hits(Sequence[AnyHit], Generic[AnyHit]):
    """An immutable sequence of hits, best first; `trace` is None where a search keeps none."""

    hits: tuple[AnyHit, ...]
    trace: Trace | None = None

    @overload
    def __getitem__(self, index: int) -> AnyHit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AnyHit]: ...
    def __getitem__(self, index: int | slice) -> AnyHit | Sequence[AnyHit]:
        return self.hits[index]

    def __iter__(self) -> Iterator[AnyHit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)
