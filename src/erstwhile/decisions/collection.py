"""The collection `memory.decisions`: record decisions, and get advice from similar decisions."""

from __future__ import annotations

import builtins
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.kinds import choice as one_of
from erstwhile.core.ports import Row
from erstwhile.core.results import (
    Hits,
    Page,
    PageRequest,
    Receipt,
    all_items,
    checked_int,
)
from erstwhile.core.text import checked_label, checked_reason
from erstwhile.core.time import Moment
from erstwhile.decisions.advice import (
    RECALL_FLOOR,
    compare_judgements,
    load_hits,
    recall_precedents,
)
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
    readable,
    to_json,
)
from erstwhile.decisions.draft import (
    CheckedRequest,
    checked_decision,
    checked_request,
    compared_text,
    safe_text,
)
from erstwhile.decisions.table import DECISIONS
from erstwhile.storage import erasure
from erstwhile.storage.record import RecordCollection, scope_for_new
from erstwhile.storage.table import kept
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.service import SimilarityFunction


class _RowWithId(NamedTuple):
    row: Row

    @property
    def id(self) -> str:
        return str(self.row[0])


class Decisions(RecordCollection[Decision], noun="decision"):
    """The decisions that this memory's scope can see. An id may be shortened while it is unique."""

    _table = DECISIONS

    def record(self, decision: Decision) -> Decision:
        """Store a decision with its secrets masked. Recording its key again changes nothing."""
        draft = checked_decision(decision, now=self._access.clock.now())

        def record(unit: Unit) -> Decision:
            return DECISIONS.add(unit, draft, scope_for_new(unit.viewer, "record a decision"))

        return self._access.change(record)

    def recall(
        self,
        request: DecisionRequest,
        limit: int = 5,
        *,
        namespace: Namespace | str = "goal",
        floor: float = RECALL_FLOOR,
    ) -> Hits[DecisionHit]:
        """Return the past decisions most similar to a request, with the same goal or with any goal.

        Superseded and deleted decisions, and decisions with a score below `floor`, are left out.
        """
        size, checked = checked_int(limit, "limit"), checked_request(request)
        place = one_of(Namespace, namespace, name="namespace")
        by_meaning, note = self._similarity_to(checked)
        if not isinstance(floor, int | float) or not 0 <= floor <= 1:
            raise InvalidInputError(f"floor must be a number from 0 to 1, not {floor!r}")

        def recalled(view: View) -> Hits[DecisionHit]:
            found = recall_precedents(view, checked, place, by_meaning, floor)
            return Hits(tuple(load_hits(view, found[:size], note)))

        return self._access.ask(recalled)

    def advise(
        self,
        request: DecisionRequest,
        *,
        limit: int = 5,
        namespace: Namespace | str = "goal",
        denials: int | None = None,
        share: float | None = None,
        floor: float | None = None,
    ) -> Advice:
        """Return the advice of past decisions (allow, deny or ask), with its reason.

        `denials`, `share` and `floor` set when earlier denials of the same action lead to a denial:
        their number, their share of all decisions about it, and the lowest score. The default of
        `denials` is the setting. Up to `limit` precedents are returned.
        """
        asked: dict[str, Any] = {"denials": denials, "share": share, "floor": floor}
        given = {name: value for name, value in asked.items() if value is not None}
        policy = replace(self._services.denials, **given)
        size, checked = checked_int(limit, "limit"), checked_request(request)
        place, note = one_of(Namespace, namespace, name="namespace"), ""
        found = self._access.ask(lambda view: compare_judgements(view, checked, place, policy))
        if size and (numbers := found.numbers_to_embed):
            by_meaning, note = self._similarity_to(checked)
            found = found.by_meaning(self._access.ask(lambda view: by_meaning(view, numbers)))
        return self._access.ask(lambda view: found.advice(view, size, note))

    def list(
        self,
        *,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
        **filters: Unpack[DecisionFilters],
    ) -> Page[Decision]:
        """List decisions, newest first. For the next page, pass the page's `next` as `cursor`."""
        check_keywords(filters, DecisionFilters, "deleted", "limit", "cursor")
        request = PageRequest(limit, cursor)
        rows = self._select("list_decisions", filters, deleted, **request.params)
        page = request.page([_RowWithId(row) for row in rows])
        return Page(tuple(readable(each.row for each in page)), page.next)

    def count(self, *, deleted: bool = False, **filters: Unpack[DecisionFilters]) -> int:
        """Count the decisions that `list` returns with the same filters."""
        check_keywords(filters, DecisionFilters, "deleted")
        return int(self._select("count_decisions", filters, deleted)[0][0])

    def set_outcome(self, id: str, text: str, *, good: bool | None = None) -> Decision:
        """Store the outcome of a decision, and whether it was good. Replace an earlier outcome."""
        outcome = safe_text(text, "outcome")
        if not outcome:
            raise InvalidInputError("the outcome is blank", remedy="describe the result")

        def with_outcome(unit: Unit, decision: Decision) -> Decision:
            return replace(decision, outcome=DecisionOutcome(text=outcome, good=good, at=unit.now))

        return DECISIONS.edit(self._access, id, "outcome", None, with_outcome)

    def supersede(self, id: str, by: Decision, *, reason: str) -> Decision:
        """Record a decision in place of an earlier one, in one transaction.

        The earlier decision stays in lists, but recall and advice ignore it. Only a person replaces
        the word of a person.
        """
        draft = checked_decision(by, now=self._access.clock.now())
        why = checked_reason(reason) or ""

        def supersede(unit: Unit) -> Decision:
            old = DECISIONS.find_own(unit, id)
            _check_successor(unit, old, draft.decision)
            new = DECISIONS.add(unit, draft, old.scope)
            ended = replace(old, superseded_by=new.id, superseded_because=why)
            DECISIONS.change(unit, old, ended, "supersede", why)
            return new

        return self._access.change(supersede)

    def trust(self, id: str, *, reason: str | None = None) -> Decision:
        """Trust a person's decision that came from a file: an import, a copy or a backup."""
        return DECISIONS.edit(
            self._access, id, "trust", reason, lambda _unit, old: replace(old, trusted=True)
        )

    def erase(
        self,
        *ids: str,
        older_than: Moment | timedelta | None = None,
        decided_by: Decider | str | None = None,
    ) -> Receipt:
        """Destroy decisions, down to their bytes in the file. There is no undo.

        Pass ids, or `older_than` to destroy the decisions of exactly this scope that are older: all
        of them, or only those `decided_by` somebody.
        """
        who = {"decided_by": _optional_choice(Decider, decided_by, "decided_by")}
        if older_than is None:
            if decided_by is not None:
                raise InvalidInputError(
                    "decided_by is given without older_than", remedy="give an age, or only ids"
                )
            return DECISIONS.erase(self._access, ids)
        if ids:
            raise InvalidInputError(
                "both ids and older_than are given", remedy="pass either ids or older_than"
            )
        return erasure.erase_old(
            self._access,
            older_than,
            find=lambda unit, old: DECISIONS.select(
                unit, "old_decisions", {**old, **who}, erasure.own(unit)
            ),
            destroy=DECISIONS.destroy,
        )

    def export(self, **filters: Unpack[DecisionFilters]) -> builtins.list[dict[str, Any]]:
        """Return all decisions that pass the filters in JSON types, oldest first."""
        check_keywords(filters, DecisionFilters)
        found = [decision.to_dict() for decision in all_items(self.list, **filters)]
        return found[::-1]

    def _similarity_to(self, request: CheckedRequest) -> tuple[SimilarityFunction, str]:
        text = compared_text(request.tool, to_json(request.input))
        return self._services.recall.similarity_to(self._access, text)

    def _select(
        self, statement: str, filters: DecisionFilters, deleted: bool, **params: int | str
    ) -> builtins.list[Row]:
        words = {
            "goal": _optional_label(filters.get("goal"), "goal"),
            "tool": _optional_label(filters.get("tool"), "tool"),
            "choice": _optional_choice(Choice, filters.get("choice"), "choice"),
            "decided_by": _optional_choice(Decider, filters.get("decided_by"), "decided_by"),
        }

        def select(view: View) -> builtins.list[Row]:
            period = view.period(filters.get("since"), filters.get("until"))
            return view.rows(statement, {**words, **period, **params}, kept(deleted))

        return self._access.ask(select)


def _check_successor(unit: Unit, old: Decision, new: Decision) -> None:
    """Raise ConflictError if the new decision cannot supersede the old one."""
    if old.key == new.key:
        raise ConflictError("a decision cannot supersede itself", remedy="create a new decision")
    if old.decided_by == Decider.PERSON != new.decided_by:
        raise ConflictError(
            f"a person decided {old.short_id}", remedy="only a person can decide otherwise"
        )
    known = DECISIONS.with_key(unit, new.key, old.scope)
    if old.superseded_by not in (None, known and known.id):
        raise ConflictError(
            f"{old.short_id} is already superseded by {old.superseded_by}",
            remedy="supersede that decision",
        )


def _optional_label(value: str | None, name: str) -> str | None:
    return None if value is None else checked_label(value, name=name)


def _optional_choice(words: type[Any], value: str | None, name: str) -> Any:
    return None if value is None else one_of(words, value, name=name)
