"""The request of a query: its options, and the filters for every kind of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from erstwhile.core.defaults import FLOOR
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import TextKind, choice
from erstwhile.facts.filters import Filters

if TYPE_CHECKING:
    from erstwhile.conversations.queries import MessageFilters
    from erstwhile.records.model import ObservationType

ALL = "all"
_FACTS = frozenset((TextKind.FACTS,))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """The options of a query."""

    limit: int = 10
    among: frozenset[TextKind] = _FACTS
    floor: float = FLOOR
    graph: bool = False
    recent: bool = False
    include_retired: bool = False
    explain: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.floor, bool) or not isinstance(self.floor, int | float):
            raise InvalidInputError(f"floor must be a number, not {self.floor!r}")
        if not 0 <= self.floor <= 1:
            raise InvalidInputError(f"floor must lie between 0 and 1, not {self.floor!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilters:
    """The filters of a query. Those of facts also have the times for all records."""

    facts: Filters
    messages: MessageFilters | None = None
    type: ObservationType | None = None


ANY_RECORD = RecordFilters(facts=Filters())


def checked_among(among: Iterable[TextKind | str] | str) -> frozenset[TextKind]:
    """Return the kinds of records that a caller named; "all" means every kind."""
    if isinstance(among, Mapping) or not isinstance(among, Iterable):
        raise InvalidInputError(
            f"among must be a list of kinds of records, not {among!r}",
            remedy='write ["facts", "messages"], or "all"',
        )
    named = [among] if isinstance(among, str) else list(among)
    if not named:
        raise InvalidInputError("among is empty", remedy='name kinds of records, or "all"')
    if named == [ALL]:
        return frozenset(TextKind)
    return frozenset(choice(TextKind, each, name="kind of records") for each in named)
