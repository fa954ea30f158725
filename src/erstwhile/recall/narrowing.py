"""Which records a query may return, as parameters of the statements that choose candidates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from erstwhile.core.kinds import State, TextKind
from erstwhile.core.ports import Params
from erstwhile.core.time import ENDLESS, EPOCH, to_micros
from erstwhile.facts.filters import Filters, params_on, wanted_state
from erstwhile.recall.request import RecallOptions, RecordFilters
from erstwhile.storage.passages import ShelfGroup, group_of
from erstwhile.storage.view import View

HELD = "held"
"""The state filter for facts that are live, or were live at some time of a period."""
_ANY_MESSAGE = {"roles": "", "channel": None, "exclude": None}
_OF_FACTS = ("kind", "tag", "entity", "key", "deleted")
"""The filters that only facts have."""
_SAID = frozenset((TextKind.FACTS, TextKind.MESSAGES))
"""The kinds of records that come from a conversation."""


class Narrowing:
    """The filters of a query on one view. `period` is the time that the query names."""

    def __init__(
        self,
        view: View,
        filters: RecordFilters,
        options: RecallOptions,
        period: tuple[datetime, datetime] | None,
        now: datetime,
    ) -> None:
        self._filters = filters
        self.among = _kinds(filters.facts, options.among)
        self.state = self._chosen_state(options, period)
        start, end = period or (EPOCH, now)
        placed = view.is_past or filters.facts.get("as_of") is not None
        self.params: Mapping[str, Any] = {
            **params_on(view, filters.facts),
            **(filters.messages.params(view) if filters.messages else _ANY_MESSAGE),
            "held_from": to_micros(start),
            "held_to": to_micros(end),
            "said_to": view.as_of if placed else ENDLESS,
            "type": filters.type,
            "among": "".join(f",{kind}," for kind in self.among),
        }
        self.ended = self.state != State.LIVE or placed
        """Whether ended facts are searched, too."""

    @property
    def groups(self) -> frozenset[ShelfGroup]:
        """The groups of records to search."""
        return frozenset(map(group_of, self.among))

    def rows(self, view: View, params: Params) -> list[tuple[Any, ...]]:
        """Return the passages among the numbers `seqs` whose records pass the filters."""
        params = {**self.params, **params}
        rows = []
        for group in sorted(self.groups):
            choices = (self.state, self._labels) if group is ShelfGroup.FACTS else ()
            rows += view.rows(_STATEMENTS[group], params, *choices)
        return rows

    @property
    def _labels(self) -> str:
        """Return the choice of a statement: whether facts need a tag or an entity."""
        asked = self.params["tag"] is not None or self.params["entity"] is not None
        return "labelled" if asked else "unlabelled"

    def _chosen_state(
        self, options: RecallOptions, period: tuple[datetime, datetime] | None
    ) -> str:
        """Return the state filter: live facts, and ended ones if the query names a period."""
        if options.include_retired:
            return HELD
        given = self._filters.facts
        unfiltered = "state" not in given and not given.get("deleted")
        named = period is not None and given.get("as_of") is None
        return HELD if unfiltered and named else wanted_state(given)


_STATEMENTS = {
    ShelfGroup.FACTS: "fact_candidates",
    ShelfGroup.MESSAGES: "message_candidates",
    ShelfGroup.NOTES: "note_candidates",
}


def _kinds(filters: Filters, among: frozenset[TextKind]) -> frozenset[TextKind]:
    """Return the kinds that can pass the filters: a record without a tag has no tag."""
    states = filters.get("state", State.LIVE) not in (State.LIVE, State.ANY)
    narrowed = any(filters.get(name) for name in _OF_FACTS) or states
    if filters.get("conversation") is not None:
        among &= _SAID
    return among & {TextKind.FACTS} if narrowed else among
