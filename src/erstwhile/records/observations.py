"""The collection `memory.observations`: notes on the work, and the search for them."""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from erstwhile.core.kinds import TextKind, choice
from erstwhile.core.ports import Params
from erstwhile.core.results import Page, Receipt
from erstwhile.core.settings import FLOOR
from erstwhile.core.text import checked_label
from erstwhile.core.time import EPOCH, FOREVER, Moment
from erstwhile.records.model import (
    MAX_TITLE,
    Observation,
    ObservationType,
    checked_part,
)
from erstwhile.storage.record import Collection
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.hits import RecallHits


class Observations(Collection):
    """Notes on bugs, decisions, patterns and so on. An observation never changes."""

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
            head = new_head(unit)
            new = Observation(type=of_type, title=name, **checked, **head)
            return OBSERVATIONS.add(unit, new, "add")

        return self._access.change(add)

    def get(self, id: str) -> Observation:
        """Return one observation by its id."""
        return OBSERVATIONS.get(self._access, id)

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
            return _filters(view, type, since, until)

        return OBSERVATIONS.page(self._access, filters, deleted=deleted, limit=limit, cursor=cursor)

    def search(
        self,
        query: str,
        *,
        type: ObservationType | str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 10,
        floor: float = FLOOR,
    ) -> RecallHits:
        """Return the observations that match a query in any language, best first, as `recall`."""
        wanted = None if type is None else choice(ObservationType, type, name="type")
        options = {"limit": limit, "floor": floor, "since": since, "until": until}
        search = self._services.recall.search_kind
        return search(self._access, query, TextKind.OBSERVATIONS, options, type=wanted)

    def delete(self, id: str, *, reason: str | None = None) -> Observation:
        """Hide an observation until it is restored or purged."""
        return OBSERVATIONS.delete(self._access, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Observation:
        """Restore a deleted observation."""
        return OBSERVATIONS.restore(self._access, id, reason)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the observations of exactly this scope deleted longer ago than `older_than`."""
        return OBSERVATIONS.purge(self._access, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy observations, down to their bytes in the file. There is no undo."""
        return OBSERVATIONS.erase(self._access, ids)


class ObservationTable(RecordTable[Observation]):
    """The table of observations, which are in the search index."""

    noun = "observation"
    name = "observations"
    record = Observation
    names = MappingProxyType({"where": "place"})
    adding = "add_observation"
    changing = "change_observation"
    searched = TextKind.OBSERVATIONS

    def text(self, item: Observation) -> str:
        return item.searched


OBSERVATIONS = ObservationTable()


def _filters(
    view: View,
    type: ObservationType | str | None,
    since: Moment | None,
    until: Moment | None,
) -> Params:
    return {
        "type": None if type is None else choice(ObservationType, type, name="type"),
        "since": view.parse(since, "since", default=EPOCH),
        "until": view.parse(until, "until", default=FOREVER),
    }
