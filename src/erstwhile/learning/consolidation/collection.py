"""The collection `memory.consolidations`, which undoes a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ids import id_range
from erstwhile.core.kinds import Ending, Trust
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import BulkChange
from erstwhile.core.scope import Scope, to_scope
from erstwhile.core.text import checked_reason
from erstwhile.core.time import from_micros
from erstwhile.facts.changes import state_before
from erstwhile.facts.conflict import CONFLICTS
from erstwhile.facts.lifecycle import retired
from erstwhile.facts.remember import check_no_rival
from erstwhile.facts.table import FACTS
from erstwhile.records.lessons import LESSONS
from erstwhile.storage.record import Collection
from erstwhile.storage.table import EITHER

if TYPE_CHECKING:
    from erstwhile.storage.unit import Unit
    from erstwhile.storage.view import View

_UNDONE = "consolidation.undo"


class ConsolidationAct(StrEnum):
    """What a consolidation did."""

    MERGED = "merged"
    """Facts that say the same became one fact, which supersedes the others."""
    DISPUTED = "disputed"
    """Two facts that seem to contradict each other became a conflict."""
    PROPOSED = "proposed"
    """A change waits in the quarantine for a person."""
    LEARNED = "learned"
    """A lesson was drawn from repeated observations."""


@public_record
class ConsolidationChange(PublicRecord):
    """One change of a consolidation."""

    _shown = ("act", "text", "because")
    act: ConsolidationAct
    """What was done."""
    id: str
    """The id of the fact that stays or is proposed, of the conflict, or of the lesson."""
    text: str
    """The text of that record."""
    others: tuple[str, ...]
    """The texts of the facts or observations that it comes from."""
    because: str
    """The reason."""


@public_record
class Consolidation(PublicRecord):
    """The report of a consolidation. `consolidations.undo` undoes its changes by its id."""

    _shown = ("id", "at", "examined", "preview")
    id: str | None
    """The id of the run; None if nothing was to be done, and for a preview."""
    at: datetime
    """When it began."""
    changes: tuple[ConsolidationChange, ...] = ()
    """What was done, each with the reason."""
    examined: int = 0
    """The number of live facts."""
    asked: int = 0
    """The number of groups that the language model was asked about."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
    preview: bool = False
    """Whether nothing was changed."""


class Consolidations(Collection):
    """The runs of `memory.consolidate`."""

    def undo(self, id: str, *, reason: str | None = None) -> BulkChange:
        """Undo what a run changed: merges, proposals, conflicts and lessons.

        Facts that were changed since stay as they are, with their ids in `skipped`. The same facts
        are not merged again, and the same proposals not made again.
        """
        viewer, why = self._access.viewer, checked_reason(reason)
        viewer.check_person("undo a consolidation")
        run, scopes = self._access.ask(lambda view: _find_run(view, id))
        total = BulkChange(facts=0)
        for scope, (first, last) in scopes.items():
            if not viewer.may_change(scope):
                continue
            own = replace(viewer, scope=scope, everything=False, name=viewer.name or viewer.actor)
            access = self._access.seen_by(own if viewer.everything else viewer)

            def undone(unit: Unit, first: int = first, last: int = last) -> BulkChange:
                return _undo_in_scope(unit, run, first, last, why)

            part = access.change(undone)
            total = BulkChange(
                facts=total.facts + part.facts,
                at=total.at or part.at,
                skipped=(*total.skipped, *part.skipped),
            )
        return total


def _find_run(view: View, id: str) -> tuple[str, Mapping[Scope, tuple[int, int]]]:
    """Return the whole id of a run, and the numbers of its first and last entry in each scope."""
    lowest, highest = id_range(id)
    rows = view.rows("consolidation_entries", {"lowest": lowest, "highest": highest})
    runs = {str(row[0]) for row in rows}
    if len(runs) != 1:
        raise NotFoundError(
            f"no consolidation {id!r} is visible here",
            remedy="its report has the id; so has `audit.list`, as `consolidation.begin`",
        )
    if any(action == _UNDONE for _, action, *_ in rows):
        raise ConflictError(
            "the consolidation was already undone", remedy="there is nothing to undo"
        )
    ends: dict[Scope, list[int]] = {}
    for _, _, number, *dimensions in rows:
        ends.setdefault(to_scope(*dimensions), []).append(number)
    return runs.pop(), {scope: (min(each), max(each)) for scope, each in ends.items()}


def _undo_in_scope(unit: Unit, run: str, first: int, last: int, reason: str | None) -> BulkChange:
    scope = unit.viewer.scope
    place = {"scope": unit.scope_id(scope), "first": first, "last": last}
    entries, began = unit.rows("changes_between", place), unit.now
    unit.record(_UNDONE, run, scope, reason)
    undone, skipped = list[str](), list[str]()
    merges = [row for row in entries if row[0] == "merge"]
    for at, group in groupby(merges, key=itemgetter(2)):
        unit.tick()
        ids = [str(id) for _, id, _ in group]
        (undone if _part(unit, ids, from_micros(at), reason) else skipped).extend(ids)
    for action, id, at in entries:
        if (undo := _UNDO.get(action)) is not None:
            unit.tick()
            (undone if undo(unit, id, from_micros(at), reason) else skipped).append(id)
    return BulkChange(facts=len(undone), at=began, skipped=tuple(skipped))


def _part(unit: Unit, ids: Sequence[str], at: datetime, reason: str | None) -> bool:
    """Give merged facts the states before their merge, unless one of them was changed since."""
    try:
        facts = [FACTS.find(unit, id, among=EITHER) for id in ids]
        before = [state_before(unit, id, at) for id in ids]
        if any(fact.known_from != at for fact in facts):
            return False
        for each in before:
            check_no_rival(unit, each)
    except (NotFoundError, ConflictError):  # erased, or stated again since
        return False
    for fact, state in zip(facts, before, strict=True):
        FACTS.change(unit, fact, state, "unmerge", reason)
    return True


def _reject_proposal(unit: Unit, id: str, at: datetime, reason: str | None) -> bool:
    fact = next(iter(FACTS.starting_with(unit, id)), None)
    if fact is None or fact.known_from != at or fact.trust is not Trust.QUARANTINED:
        return False
    FACTS.change(unit, fact, retired(fact, Ending.WRONG, at=unit.now), "reject", reason)
    return True


def _settle_conflict(unit: Unit, id: str, at: datetime, reason: str | None) -> bool:
    noted = next(iter(CONFLICTS.starting_with(unit, id)), None)
    if noted is None or noted.changed_at != at or noted.settled_at is not None:
        return False
    settled = replace(noted, settled_at=unit.now, resolution=reason)
    CONFLICTS.change(unit, noted, settled, "settle", reason)
    return True


def _delete_lesson(unit: Unit, id: str, at: datetime, reason: str | None) -> bool:
    lesson = next(iter(LESSONS.starting_with(unit, id)), None)
    if lesson is None or lesson.changed_at != at:
        return False
    LESSONS.change(unit, lesson, replace(lesson, deleted_at=unit.now), "delete", reason)
    return True


_UNDO: Mapping[str, Callable[[Unit, str, datetime, str | None], bool]] = {
    "remember": _reject_proposal,
    "conflict.note": _settle_conflict,
    "lesson.add": _delete_lesson,
}
"""How the changes of each action are taken back; merges are taken back together."""
