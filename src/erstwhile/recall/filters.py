"""The options and filters of a query, as parameters of the statements that select candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import State, TextKind, choice
from erstwhile.core.ports import Clock
from erstwhile.core.time import ENDLESS, EPOCH, Moment, parse_moment, to_micros
from erstwhile.facts.queries import Filters, params_on, wanted_state
from erstwhile.recall.relevance import STRONG, WEAK
from erstwhile.storage.passages import PartitionGroup, group_of
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.conversations.table import MessageFilters
    from erstwhile.records.model import ObservationType

ALL = "all"
_FACTS = frozenset((TextKind.FACTS,))
_ONCE_LIVE = "held"
"""The state filter for facts that are live, or were live at some time of a period."""
_SOON = "soon"
"""The state filter for facts that are live or begin soon."""
_ANY_MESSAGE = {"roles": "", "channel": None, "exclude": None}
_FACT_FILTERS = ("kind", "tag", "entity", "key", "metadata", "deleted")
"""The filters that only facts have."""
_IN_CONVERSATIONS = frozenset((TextKind.FACTS, TextKind.MESSAGES))
"""The kinds of records that come from a conversation."""
_STATEMENTS = {
    PartitionGroup.FACTS: "fact_candidates",
    PartitionGroup.MESSAGES: "message_candidates",
    PartitionGroup.NOTES: "note_candidates",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """The options of a query."""

    limit: int = 10
    among: frozenset[TextKind] = _FACTS
    floor: float | None = None
    """The lowest relevance; None finds weak hits only beside a strong one."""
    weakest: float = WEAK
    """The lowest relevance of a weak hit beside a strong one."""
    graph: bool = False
    recent: bool = False
    include_retired: bool = False
    ahead: timedelta = timedelta(0)
    """How long before they begin facts are found."""
    explain: bool = False
    enough: int | None = None
    """The hits after which the search ends; what it compared beside them is returned up to `limit`.
    None is `limit`."""
    rerank: bool = False
    """Whether the reranker, if there is one, orders the best hits."""

    def __post_init__(self) -> None:
        if self.floor is None:
            return
        if isinstance(self.floor, bool) or not isinstance(self.floor, int | float):
            raise InvalidInputError(f"floor must be a number, not {self.floor!r}")
        if not 0 <= self.floor <= 1:
            raise InvalidInputError(f"floor must lie between 0 and 1, not {self.floor!r}")

    @property
    def lowest(self) -> float:
        """The lowest relevance of a hit."""
        return self.weakest if self.floor is None else self.floor

    @property
    def best(self) -> float:
        """The lowest relevance of the best hit."""
        return STRONG if self.floor is None else self.floor


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilters:
    """The filters of a query. Those of facts also have the times for all records."""

    facts: Filters
    messages: MessageFilters | None = None
    type: ObservationType | None = None

    @property
    def times(self) -> tuple[Moment | None, Moment | None]:
        """The valid time and the recorded time to search at; None is now."""
        return self.facts.get("as_of"), self.facts.get("known_at")


ANY_RECORD = RecordFilters(facts=Filters())


def asked_at(now: Moment | None, filters: Filters, clock: Clock) -> Filters:
    """Return the filters of a question; `now` is its date, if that is not the present."""
    if now is None:
        return filters
    if filters.get("as_of") is not None:
        raise InvalidInputError(
            "now and as_of both name the time of the question", remedy="give one of them"
        )
    return Filters({**filters, "as_of": parse_moment(now, now=clock.now(), name="now")})


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


def searched_groups(filters: RecordFilters, options: RecallOptions) -> frozenset[PartitionGroup]:
    """Return the groups of records that a query searches."""
    return frozenset(map(group_of, _possible_kinds(filters.facts, options.among)))


class CandidateFilters:
    """The filters of a query on one view. `period` is the time that the query names."""

    def __init__(
        self,
        view: View,
        filters: RecordFilters,
        options: RecallOptions,
        period: tuple[datetime, datetime] | None,
        now: datetime,
    ) -> None:
        given = filters.facts
        among = _possible_kinds(given, options.among)
        self.groups = searched_groups(filters, options)
        """The groups of records to search."""
        at_present = given.get("as_of") is None
        by_state = "state" in given or bool(given.get("deleted"))
        with_ended = options.include_retired or (period and not by_state)
        self.state = _ONCE_LIVE if with_ended else wanted_state(given)
        """The state filter: live facts, and ended ones if the query names a period."""
        if options.ahead and self.state == State.LIVE and at_present:
            self.state = _SOON
        start, end = period or (EPOCH, now)
        at_a_time = view.is_past or not at_present
        self.params: Mapping[str, Any] = {
            **params_on(view, given),
            **(filters.messages.params(view) if filters.messages else _ANY_MESSAGE),
            "held_from": to_micros(start),
            "held_to": to_micros(end),
            "begins_before": to_micros(now + options.ahead),
            "said_to": view.as_of if at_a_time else ENDLESS,
            "type": filters.type,
            "among": "".join(f",{kind}," for kind in among),
        }
        self.includes_ended = self.state not in (State.LIVE, _SOON) or at_a_time
        """Whether ended facts are searched, too."""

    def rows(self, view: View, seqs: str) -> list[tuple[Any, ...]]:
        """Return the passages in a JSON list of numbers whose records pass the filters."""
        params = {**self.params, "seqs": seqs}
        labelled = params["tag"] is not None or params["entity"] is not None
        fact_choices = (self.state, "labelled" if labelled else "unlabelled")
        rows = []
        for group in sorted(self.groups):
            choices = fact_choices if group is PartitionGroup.FACTS else ()
            rows += view.rows(_STATEMENTS[group], params, *choices)
        return rows


def _possible_kinds(filters: Filters, among: frozenset[TextKind]) -> frozenset[TextKind]:
    """Return the kinds that can pass the filters: only facts have tags, for example."""
    by_state = filters.get("state", State.LIVE) not in (State.LIVE, State.ANY)
    if filters.get("conversation") is not None:
        among &= _IN_CONVERSATIONS
    if by_state or any(filters.get(name) for name in _FACT_FILTERS):
        among &= _FACTS
    return among
