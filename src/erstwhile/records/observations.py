"""The collection of observations: what the agent noticed, found again by its words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from erstwhile.core.kinds import choice
from erstwhile.core.page import Page, checked_limit
from erstwhile.core.ports import Params, Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_label, checked_text
from erstwhile.core.time import EPOCH, FOREVER, Moment
from erstwhile.records.observation import MAX_PART, MAX_TITLE, Observation, ObservationType
from erstwhile.search import words
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.collection import Collection
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_MAX_QUERY = 10_000


class Observations(Collection):
    """Notes on bugs, decisions, patterns and the like. They are never changed, only replaced."""

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
        """Note what was noticed: a title, and if you like what, why, where and what it taught."""
        of_type = choice(ObservationType, type, name="type")
        named = checked_label(title, name="title", limit=MAX_TITLE)
        parts = {"what": what, "why": why, "where": where, "learned": learned}
        said: dict[str, Any] = {name: _part(text, name) for name, text in parts.items()}

        def added(unit: Unit) -> Observation:
            head = new_head(unit)
            new = Observation(type=of_type, title=named, **said, **head)
            return OBSERVATIONS.add(unit, new, "add")

        return self._access.change(added)

    def get(self, id: str) -> Observation:
        """One observation by its id."""
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
        """Observations, newest first."""

        def narrowed(view: View) -> Params:
            return _narrowed(view, type, since, until)

        return OBSERVATIONS.page(
            self._access, narrowed, deleted=deleted, limit=limit, cursor=cursor
        )

    def search(
        self,
        query: str,
        *,
        type: ObservationType | str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 10,
    ) -> Page[Observation]:
        """Observations that hold words of a question, best first; in any language."""
        asked = checked_text(query, name="query", limit=_MAX_QUERY)
        wanted = checked_limit(limit)

        def found(view: View) -> Page[Observation]:
            narrowed = _narrowed(view, type, since, until)
            matching = fulltext.Wanted(
                fulltext.Kind.OBSERVATION, "match_observations", asked, wanted, narrowed
            )
            best = fulltext.search(view, words, matching)[:wanted]
            return Page(tuple(OBSERVATIONS.find(view, each.id) for each in best))

        return self._access.ask(found)

    def delete(self, id: str, *, reason: str | None = None) -> Observation:
        """Hide an observation from every answer, until it is restored or purged."""
        return OBSERVATIONS.delete(self._access, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Observation:
        """Bring a deleted observation back as it was."""
        return OBSERVATIONS.restore(self._access, id, reason)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase what was deleted longer ago than this, in exactly this scope."""
        return OBSERVATIONS.purge(self._access, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy observations: rows, terms, and their bytes in the file. There is no undo."""
        return OBSERVATIONS.erase(self._access, ids)


class ObservationTable(RecordTable[Observation]):
    """The table of observations, whose texts are in the full-text index."""

    noun = "observation"
    name = "observations"
    adding = "add_observation"
    changing = "change_observation"
    searched = fulltext.Kind.OBSERVATION

    def fields(self, item: Observation) -> dict[str, Any]:
        return {
            "type": item.type,
            "title": item.title,
            "what": item.what,
            "why": item.why,
            "place": item.where,
            "learned": item.learned,
        }

    def build(self, row: Row, head: dict[str, Any]) -> Observation:
        type, title, what, why, where, learned = row
        return Observation(
            type=ObservationType(type),
            title=title,
            what=what,
            why=why,
            where=where,
            learned=learned,
            **head,
        )

    def text(self, item: Observation) -> str:
        return item.searched


OBSERVATIONS = ObservationTable()


def _part(text: str | None, name: str) -> str | None:
    return None if text is None else checked_text(text, name=name, limit=MAX_PART)


def _narrowed(
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
