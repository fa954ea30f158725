"""The collection `memory.observations`: notes on the work, and the search for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from erstwhile.core.kinds import TextKind, choice
from erstwhile.core.ports import Params
from erstwhile.core.results import Page
from erstwhile.core.text import checked_label
from erstwhile.core.time import Moment
from erstwhile.records.model import MAX_TITLE, Observation, ObservationType, checked_part
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import RecordCollection
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.hits import RecallHits


class ObservationTable(RecordTable[Observation]):
    """The table of observations, which are in the search index."""

    noun = "observation"
    name = "observations"
    row_type = RowType(Observation, "observation", names={"where": "place"})
    searched = TextKind.OBSERVATIONS

    def text(self, item: Observation) -> str:
        return item.searched


OBSERVATIONS = ObservationTable()


class Observations(RecordCollection[Observation], noun="observation"):
    """Notes on bugs, decisions, patterns and so on. An observation never changes."""

    _table = OBSERVATIONS

    def add(
        self,
        type: ObservationType | str,
        title: str,
        *,
        what: str | None = None,
        why: str | None = None,
        where: str | None = None,
        learned: str | None = None,
    ) -> Observation:
        """Add an observation: a title, and optionally what, why, where and what was learned."""
        of_type = choice(ObservationType, type, name="type")
        name = checked_label(title, name="title", limit=MAX_TITLE)
        parts = {"what": what, "why": why, "where": where, "learned": learned}
        checked: dict[str, Any] = {part: checked_part(text, part) for part, text in parts.items()}

        def add(unit: Unit) -> Observation:
            new = Observation(type=of_type, title=name, **checked, **new_head(unit))
            return OBSERVATIONS.add(unit, new, "add")

        return self._access.change(add)

    def list(
        self,
        *,
        type: ObservationType | str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Observation]:
        """List observations, newest first."""

        def filters(view: View) -> Params:
            return {
                "type": None if type is None else choice(ObservationType, type, name="type"),
                **view.period(since, until),
            }

        return OBSERVATIONS.page(self._access, filters, deleted=deleted, limit=limit, cursor=cursor)

    def search(
        self,
        query: str,
        *,
        type: ObservationType | str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 10,
        floor: float | None = None,
    ) -> RecallHits:
        """Return the observations that match a query in any language, best first, as `recall`."""
        wanted = None if type is None else choice(ObservationType, type, name="type")
        options = {"limit": limit, "floor": floor, "since": since, "until": until}
        search = self._services.recall.search_kind
        return search(self._access, query, TextKind.OBSERVATIONS, options, type=wanted)
