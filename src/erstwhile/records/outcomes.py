"""The collection `memory.outcomes`: how the agent's work turned out."""

from __future__ import annotations

import builtins
from typing import Any

from erstwhile.core.ports import Params
from erstwhile.core.results import Page
from erstwhile.core.text import checked_label, checked_text
from erstwhile.core.time import Moment
from erstwhile.records.model import MAX_NOTE, Outcome, OutcomeTally, checked_domain, checked_score
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import RecordCollection
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class OutcomeTable(RecordTable[Outcome]):
    """The table of outcomes."""

    noun = "outcome"
    name = "outcomes"
    row_type = RowType(Outcome, "outcome")


OUTCOMES = OutcomeTable()


class Outcomes(RecordCollection[Outcome], noun="outcome"):
    """Good, neutral and bad results by domain. The project is that of the scope."""

    _table = OUTCOMES

    def add(
        self, domain: str, score: int, *, note: str | None = None, source: str | None = None
    ) -> Outcome:
        """Add a result: +1 good, 0 neutral, -1 bad; `source` says who judged it."""
        fields: dict[str, Any] = {
            "domain": checked_domain(domain),
            "score": checked_score(score),
            "note": None if note is None else checked_text(note, name="note", limit=MAX_NOTE),
            "source": None if source is None else checked_label(source, name="source"),
        }

        def add(unit: Unit) -> Outcome:
            return OUTCOMES.add(unit, Outcome(**fields, **new_head(unit)), "add")

        return self._access.change(add)

    def list(
        self,
        *,
        domain: str | None = None,
        score: int | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Outcome]:
        """List outcomes, newest first."""

        def filters(view: View) -> Params:
            return _filters(view, domain, score, since, until)

        return OUTCOMES.page(self._access, filters, deleted=deleted, limit=limit, cursor=cursor)

    def tally(
        self,
        *,
        domain: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> builtins.list[OutcomeTally]:
        """Count good, neutral and bad outcomes by domain and project."""
        rows = self._access.ask(
            lambda view: view.rows("tally_outcomes", _filters(view, domain, None, since, until))
        )
        return [
            OutcomeTally(
                domain=domain,
                project=project or None,
                good=int(good),
                neutral=int(neutral),
                bad=int(bad),
            )
            for domain, project, good, neutral, bad in rows
        ]


def _filters(
    view: View,
    domain: str | None,
    score: int | None,
    since: Moment | None,
    until: Moment | None,
) -> Params:
    return {
        "domain": None if domain is None else checked_domain(domain),
        "score": None if score is None else checked_score(score),
        **view.period(since, until),
    }
