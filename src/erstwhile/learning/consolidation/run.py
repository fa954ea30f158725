"""Run a consolidation: what rules prove is done, what a language model writes is proposed.

Each scope is consolidated in one transaction, after all calls of the model. Facts that changed
meanwhile are left to the next run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from erstwhile.core.errors import ErstwhileError, InvalidInputError, LlmError, NotFoundError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Ending, Kind, Origin, Trust
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import Scope, scope_params
from erstwhile.core.text import checked_metadata, fingerprint
from erstwhile.core.time import to_micros
from erstwhile.facts.agent_rules import find_rejected
from erstwhile.facts.conflict import note_conflict, open_conflicts_of
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.held import Proposal, held_because
from erstwhile.facts.lifecycle import absorbed, retired
from erstwhile.facts.queries import scope_counts
from erstwhile.facts.remember import find_duplicate, remember
from erstwhile.facts.table import FACTS
from erstwhile.learning.apply import OVER, UNVERIFIED
from erstwhile.learning.consolidation.collection import (
    Consolidation,
    ConsolidationAct,
    ConsolidationChange,
)
from erstwhile.learning.consolidation.plan import ConsolidationPlan, is_protected, make_plan
from erstwhile.learning.consolidation.propose import (
    Member,
    ModelSuggestion,
    can_be_shown,
    suggestions,
)
from erstwhile.learning.extract import ModelCalls
from erstwhile.records.lessons import add_if_new
from erstwhile.records.model import Observation
from erstwhile.usage.collection import SpendingBudget

if TYPE_CHECKING:
    from erstwhile.core.ports import Llm
    from erstwhile.services import Services
    from erstwhile.storage.access import Access
    from erstwhile.storage.unit import Unit
    from erstwhile.storage.view import View

_UNVERIFIED = next(iter(UNVERIFIED))
SAME = "they say the same"
_MAX_FACTS = 500
"""The most merges of one transaction."""
_SAID_TWICE = "Said already in other words: "
"""Precedes the statement in quarantine that a fact repeats another one."""


class _RolledBack(Exception):  # noqa: N818 (it is no error)
    """Rolls a transaction back: that of a preview, or one that changed nothing."""


def consolidate(access: Access, services: Services, *, preview: bool) -> Consolidation:
    """Consolidate the scope of the viewer, or each scope for an administrator."""
    viewer = access.viewer
    viewer.check_person("consolidate a memory")
    viewer.check_learner()
    scopes = [viewer.scope]
    if viewer.everything:
        scopes = [each.scope for each in scope_counts(access)]
    report = Consolidation(id=None, at=access.clock.now(), preview=preview)
    id = new_id(report.at)
    for scope in scopes:
        own = replace(viewer, scope=scope, everything=False, name=viewer.name or viewer.actor)
        run = _ScopeRun(access.seen_by(own if viewer.everything else viewer), services, scope, id)
        report = run.reported(report)
    return report


@dataclass(slots=True)
class _ScopeRun:
    """The consolidation of one scope."""

    access: Access
    services: Services
    scope: Scope
    id: str
    changes: list[ConsolidationChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    asked: int = 0
    unread: datetime | None = None
    """The change of the first fact that the model has not read; None if it has read all."""

    def reported(self, report: Consolidation) -> Consolidation:
        """Consolidate, and return the report with what was done."""
        plan = self.access.ask(self._plan)
        done = False
        if not plan.is_empty:
            suggested = [] if report.preview else self._suggested(plan)
            done = self._applied(plan, suggested, preview=report.preview)
        if report.preview and self.services.has_llm and (plan.similar or plan.observed):
            groups = len(plan.similar) + len(plan.observed)
            self.notes.append(f"the language model would be asked about {groups} groups")
        return replace(
            report,
            id=self.id if done else report.id,
            changes=(*report.changes, *self.changes),
            examined=report.examined + len(plan.facts),
            asked=report.asked + self.asked,
            notes=(*report.notes, *self.notes),
        )

    def _plan(self, view: View) -> ConsolidationPlan:
        rows = view.rows("find_scope", scope_params(self.scope))
        number = rows[0][0] if rows else None
        return make_plan(view, self.scope, number, model=self.services.has_llm)

    def _suggested(self, plan: ConsolidationPlan) -> list[ModelSuggestion]:
        """Ask the model about each group, within the daily limit."""
        groups: list[Sequence[Member]] = [*plan.similar, *plan.observed]
        try:
            llm = self.services.llm() if groups else None
        except ErstwhileError as error:
            log_failure(__name__, "the language model cannot be created", error=error)
            self._stop_at(groups[0], str(error))
            return []
        found: list[ModelSuggestion] = []
        for group in groups if llm is not None else ():
            budget = SpendingBudget(self.access, self.services)
            if limit := budget.reached_limit():
                self._stop_at(group, limit)
                break
            try:
                found += self._answers(llm, group, budget)
            except LlmError as failure:
                log_failure(__name__, "a group was not read by the language model", error=failure)
                self._stop_at(group, str(failure))
                break
        return found

    def _answers(
        self, llm: Llm | None, group: Sequence[Member], budget: SpendingBudget
    ) -> list[ModelSuggestion]:
        if llm is None or not all(map(can_be_shown, group)):
            return []
        calls = ModelCalls(llm, budget, lambda: False)
        self.asked += 1
        try:
            accepted, notes = suggestions(group, calls.ask)
        finally:
            if calls.tokens is not None:
                budget.record(llm.model, calls.tokens)
        self.notes += notes
        return accepted

    def _stop_at(self, group: Sequence[Member], because: str) -> None:
        first = group[0]
        self.unread = first.known_from if isinstance(first, Fact) else first.created_at
        self.notes.append(f"the language model was not asked about everything: {because}")

    def _applied(
        self, plan: ConsolidationPlan, suggested: Sequence[ModelSuggestion], *, preview: bool
    ) -> bool:
        """Make the changes in one transaction; return whether anything was stored."""

        def apply(unit: Unit) -> None:
            self.changes = []  # a transaction may run twice
            unit.record("consolidation.begin", self.id, self.scope, None)
            self.changes += _note_conflicts(unit, plan)
            for each in suggested:
                unit.tick()
                self.changes += _follow(unit, each)
            self.changes += self._by_rules(unit, plan)
            if preview or not (self.changes or plan.fresh):
                raise _RolledBack
            unit.tick()
            is_read = self.services.has_llm and self.unread is None
            mark = str(to_micros(self.unread or unit.now))
            action = "read" if is_read else "run"
            unit.record(f"consolidation.{action}", self.id, self.scope, mark)

        try:
            self.access.change(apply)
        except _RolledBack:
            return False
        return True

    def _by_rules(self, unit: Unit, plan: ConsolidationPlan) -> Iterator[ConsolidationChange]:
        for group in plan.same[:_MAX_FACTS]:
            unit.tick()
            yield from _merge(unit, _unchanged(unit, group))
        if len(plan.same) > _MAX_FACTS:
            self.notes.append(f"{len(plan.same) - _MAX_FACTS} merges are left to the next run")
        for taught in plan.lessons:
            unit.tick()
            rule = taught[0].learned or ""
            yield from _learn(unit, taught, rule, "the same was learned repeatedly")


def _note_conflicts(unit: Unit, plan: ConsolidationPlan) -> Iterator[ConsolidationChange]:
    """Note contradictions. A merge later in the run carries them over to the fact that stays."""
    for pair in plan.contradictory:
        unit.tick()
        yield from _dispute(unit, _unchanged(unit, pair))


def _unchanged(unit: Unit, group: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a group that nobody changed since they were read."""
    present: list[Fact] = []
    for fact in group:
        try:
            now = FACTS.find(unit, fact.id)
        except NotFoundError:  # deleted or erased meanwhile
            continue
        if now.known_from == fact.known_from:
            present.append(now)
    return present


def _merge(unit: Unit, group: Sequence[Fact]) -> Iterator[ConsolidationChange]:
    """Merge what may be merged into the first fact, and propose the rest to a person."""
    if len(group) < 2:
        return
    first, *others = group
    free = [] if is_protected(first) else [each for each in others if not is_protected(each)]
    free = [each for each in free if not _was_parted(unit, each)]
    if free and not _was_parted(unit, first):
        yield from _merged(unit, first, free)
    for other in others:
        if is_protected(first) or is_protected(other):
            unit.tick()
            yield from _propose_end(unit, other, first, _SAID_TWICE, SAME)


def _merged(unit: Unit, first: Fact, others: Sequence[Fact]) -> Iterator[ConsolidationChange]:
    """Merge facts; a conflict of one that ends is now one of the fact that stays."""
    unverified = [each.metadata for each in (first, *others) if _UNVERIFIED in each.metadata]
    if len(unverified) <= len(others):  # verification confirmed one of them
        others = [_verified(each) for each in others]
    try:
        whole = absorbed(first, others, unit.now)
    except InvalidInputError:  # together they have too many labels
        return
    ids = {first.id, *(each.id for each in others)}
    disputed = [each.other(other.id) for other in others for each in open_conflicts_of(unit, other)]
    for other in others:
        ended = retired(other, Ending.SUPERSEDED, at=unit.now, successor=first.id)
        FACTS.change(unit, other, ended, "merge", SAME)
    whole = FACTS.change(unit, first, whole, "merge", SAME)
    rivals = [each for each in disputed if each.id not in ids]
    note_conflict(unit, whole, rivals, "carried over from a fact that says the same")
    texts = tuple(each.text for each in others)
    yield _change(ConsolidationAct.MERGED, first.id, first.text, texts, SAME)


def _verified(fact: Fact) -> Fact:
    """Return the fact without the mark that no verification confirmed it."""
    rest = {name: value for name, value in fact.metadata.items() if name != _UNVERIFIED}
    return replace(fact, metadata=checked_metadata(rest))


def _was_parted(unit: Unit, fact: Fact) -> bool:
    """Return whether a person took a merge of this fact back."""
    return any(action in ("unmerge", "undo") for action, _ in unit.acts_on(fact.id, fact.scope))


def _dispute(unit: Unit, pair: Sequence[Fact]) -> Iterator[ConsolidationChange]:
    if len(pair) < 2:
        return
    fact, other = pair
    known = {each.id for one in open_conflicts_of(unit, fact) for each in (one.older, one.newer)}
    before = len(unit.recorded)
    [noted] = note_conflict(unit, fact, [other], "another value in the same statement")
    if other.id not in known and len(unit.recorded) > before:
        because = noted.reason or ""
        yield _change(ConsolidationAct.DISPUTED, noted.id, fact.text, (other.text,), because)


def _follow(unit: Unit, suggestion: ModelSuggestion) -> Iterator[ConsolidationChange]:
    """Propose what the model suggests; a lesson, which changes nothing else, is learned."""
    if suggestion.act == "lesson":
        taught = [each for each in suggestion.members if isinstance(each, Observation)]
        yield from _learn(unit, taught, suggestion.text, "the model finds the same lesson in them")
        return
    given = [each for each in suggestion.members if isinstance(each, Fact)]
    facts = _unchanged(unit, given)
    if len(facts) < len(given):
        return
    if suggestion.act == "over":
        yield from _propose_end(
            unit, facts[0], facts[1], OVER, "the model finds that another fact replaced it"
        )
    elif suggestion.act == "merge":
        yield from _propose(
            unit, suggestion.text, facts, facts[0].kind, "the model finds that they say the same",
            Proposal(key=facts[0].key, replaces=tuple(each.id for each in facts)),
        )  # fmt: skip
    else:
        because = "the user showed the same wish repeatedly"
        yield from _propose(unit, suggestion.text, facts, Kind.INSTRUCTION, because, Proposal())


def _propose_end(
    unit: Unit, fact: Fact, kept: Fact, says: str, because: str
) -> Iterator[ConsolidationChange]:
    """Propose that a fact ends, because another one says the same or replaced it."""
    proposal = Proposal(replaces=(fact.id,), ends=True, kept=kept.id)
    why = f"{because}: {kept.text[:200]}"
    text = f"{says}{fact.text}"
    yield from _propose(unit, text, [kept], Kind.FACT, why, proposal)


def _propose(
    unit: Unit,
    text: str,
    facts: Sequence[Fact],
    kind: Kind,
    because: str,
    proposal: Proposal,
) -> Iterator[ConsolidationChange]:
    """Put a proposal into quarantine, unless it waits there or was rejected before."""
    held = draft(
        text,
        kind=kind,
        metadata=held_because("consolidation", because, proposal),
        origin=Origin.LEARNED,
        trust=Trust.QUARANTINED,
        entities=tuple(dict.fromkeys(name for each in facts for name in each.entities)),
        now=unit.now,
    )
    scope = facts[0].scope
    known = find_duplicate(unit, scope, held.kind, fingerprint(held.text, held.key))
    if known is not None or find_rejected(unit, scope, held) is not None:
        return
    fact = remember(unit, held, because, scope)
    texts = tuple(each.text for each in facts)
    yield _change(ConsolidationAct.PROPOSED, fact.id, fact.text, texts, because)


def _learn(
    unit: Unit, taught: Sequence[Observation], rule: str, because: str
) -> Iterator[ConsolidationChange]:
    lesson = add_if_new(unit, taught[0].type.value, rule, len(taught), taught[0].created_at)
    if lesson is not None:
        texts = tuple(each.searched for each in taught)
        yield _change(ConsolidationAct.LEARNED, lesson.id, lesson.rule, texts, because)


def _change(
    act: ConsolidationAct, id: str, text: str, others: tuple[str, ...], because: str
) -> ConsolidationChange:
    return ConsolidationChange(act=act, id=id, text=text, others=others, because=because)
