"""The collection of decisions: recording them, and asking what was decided in such a case."""

from __future__ import annotations

import builtins
from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import Any, Unpack

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.kinds import choice as one_of
from erstwhile.core.page import MAX_LIMIT, NEWEST, Page, checked_limit, checked_number
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_label, checked_reason
from erstwhile.core.time import EPOCH, FOREVER, Moment
from erstwhile.decisions import erasure as decision_erasure
from erstwhile.decisions import table as decision_table
from erstwhile.decisions.advice import ADVICE_FLOOR
from erstwhile.decisions.decision import (
    Advice,
    Choice,
    Decider,
    Decision,
    DecisionFilters,
    DecisionHit,
    DecisionOutcome,
    DecisionRequest,
    Namespace,
)
from erstwhile.decisions.draft import checked_decision, checked_request, safe_text
from erstwhile.decisions.precedents import RECALL_FLOOR, Asked, advised, recalled
from erstwhile.decisions.rows import to_decision
from erstwhile.decisions.tool_input import compared_text, written
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class Decisions(Collection):
    """All decisions that this memory's scope can see. Ids may be shortened while unique."""

    def record(self, decision: Decision) -> Decision:
        """Store a decision, its secrets masked; the same again changes nothing."""
        said = checked_decision(decision, now=self._access.clock.now())
        return self._access.change(lambda unit: decision_table.record(unit, said))

    def recall(
        self,
        request: DecisionRequest,
        k: int = 5,
        *,
        namespace: Namespace | str = "goal",
        floor: float = RECALL_FLOOR,
    ) -> builtins.list[DecisionHit]:
        """The `k` past decisions most like a request, of its goal or of all, nearest first.

        Those that were superseded take no part, nor those whose similarity is below `floor`.
        """
        wanted, asked = _checked_count(k), self._asked(request, namespace, floor)
        return self._access.ask(lambda view: recalled(view, asked, wanted))

    def advise(
        self,
        request: DecisionRequest,
        *,
        k: int = 5,
        namespace: Namespace | str = "goal",
        floor: float = ADVICE_FLOOR,
    ) -> Advice:
        """What past decisions suggest: allow, deny or ask, with the precedents and why."""
        wanted, asked = _checked_count(k), self._asked(request, namespace, floor)
        return self._access.ask(lambda view: advised(view, asked, wanted))

    def get(self, id: str) -> Decision:
        """One decision, superseded or not."""
        return self._access.ask(lambda view: decision_table.find(view, id))

    def list(
        self, *, limit: int = 20, cursor: str | None = None, **filters: Unpack[DecisionFilters]
    ) -> Page[Decision]:
        """Decisions, newest first. For what follows, pass the page's `next` as `cursor`."""
        wanted = checked_limit(limit)
        before = NEWEST if cursor is None else checked_number(cursor)
        rows = self._matching("list_decisions", filters, before=before, limit=wanted + 1)
        page = tuple(to_decision(row) for row in rows[:wanted])
        return Page(page, str(rows[wanted - 1][0]) if len(rows) > wanted else None)

    def count(self, **filters: Unpack[DecisionFilters]) -> int:
        """How many decisions `list` goes through for the same question."""
        return int(self._matching("count_decisions", filters)[0][0])

    def outcome(self, id: str, text: str, *, good: bool | None = None) -> Decision:
        """Note what came of a decision, and whether that was good; it replaces what was noted."""
        told = safe_text(text, "outcome")
        if not told:
            raise InvalidInputError("the outcome is blank", remedy="say what came of it")

        def noted(unit: Unit) -> Decision:
            old = decision_table.find_own(unit, id)
            new = replace(old, outcome=DecisionOutcome(text=told, good=good, at=unit.now))
            return decision_table.change(unit, new, action="outcome", reason=None)

        return self._access.change(noted)

    def supersede(self, id: str, by: Decision, *, reason: str) -> Decision:
        """Record a decision in the place of an earlier one, atomically; `reason` says why.

        The earlier one stays in lists, and takes no part in recall and advice any more.
        """
        said = checked_decision(by, now=self._access.clock.now())
        why = checked_reason(reason) or ""

        def superseded(unit: Unit) -> Decision:
            old = decision_table.find_own(unit, id)
            _check_successor(old, said)
            new = decision_table.add(unit, said, old.scope)
            ended = replace(old, superseded_by=new.id, superseded_because=why)
            decision_table.change(unit, ended, action="supersede", reason=why)
            return new

        return self._access.change(superseded)

    def delete(self, *ids: str) -> Receipt:
        """Destroy decisions, down to their bytes in the file. There is no undo."""
        return decision_erasure.delete(self._access, ids)

    def prune(self, older_than: Moment | timedelta) -> Receipt:
        """Destroy what was decided longer ago than this, in exactly this scope."""
        return decision_erasure.prune(self._access, older_than)

    def export(self, **filters: Unpack[DecisionFilters]) -> builtins.list[dict[str, Any]]:
        """All that fit, oldest first, each whole and in JSON's own types."""
        found: builtins.list[Decision] = []
        cursor: str | None = None
        while True:
            page = self.list(limit=MAX_LIMIT, cursor=cursor, **filters)
            found += page
            cursor = page.next
            if cursor is None:
                return [_plain(decision) for decision in reversed(found)]

    def _asked(self, request: DecisionRequest, namespace: Namespace | str, floor: float) -> Asked:
        said, kind = checked_request(request), one_of(Namespace, namespace, name="namespace")
        if not 0 <= floor <= 1:
            raise InvalidInputError(f"floor must lie between 0 and 1, not {floor!r}")
        text = compared_text(said.tool, written(said.input))
        return Asked(said, kind, floor, *self._services.recall.similarity_to(self._access, text))

    def _matching(
        self, statement: str, filters: DecisionFilters, **params: int
    ) -> builtins.list[Row]:
        wanted = {
            "goal": _optional(filters.get("goal"), "goal"),
            "tool": _optional(filters.get("tool"), "tool"),
            "choice": _word(Choice, filters.get("choice"), "choice"),
            "decided_by": _word(Decider, filters.get("decided_by"), "decided_by"),
        }

        def matched(view: View) -> builtins.list[Row]:
            since = view.parse(filters.get("since"), "since", default=EPOCH)
            until = view.parse(filters.get("until"), "until", default=FOREVER)
            period = {"since": since, "until": until}
            return view.rows(statement, {**wanted, **period, **params})

        return self._access.ask(matched)


def _checked_count(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int) or k < 0:
        raise InvalidInputError(f"k must be a number from 0 on, not {k!r}")
    return k


def _check_successor(old: Decision, new: Decision) -> None:
    if old.id == new.id:
        raise ConflictError("a decision cannot supersede itself", remedy="make a new one")
    if old.superseded_by not in (None, new.id):
        raise ConflictError(
            f"{old.short_id} was superseded by {old.superseded_by} already",
            remedy="supersede that one",
        )


def _optional(value: str | None, name: str) -> str | None:
    return None if value is None else checked_label(value, name=name)


def _word(words: type[Any], value: str | None, name: str) -> Any:
    return None if value is None else one_of(words, value, name=name)


def _plain(decision: Decision) -> dict[str, Any]:
    values = {each.name: getattr(decision, each.name) for each in fields(decision)}
    outcome = decision.outcome
    return {
        **{name: _written(value) for name, value in values.items()},
        "scope": {each: getattr(decision.scope, each) for each in decision.scope.__slots__},
        "options": list(decision.options),
        "outcome": outcome
        and {"text": outcome.text, "good": outcome.good, "at": _written(outcome.at)},
    }


def _written(value: Any) -> Any:
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value
