"""The pipeline: from the messages of a turn to candidates that are ready to be applied.

salience → extract → provenance → guard → verify; then `apply` reconciles and stores. Only this part
of learning calls the language model. Nothing is stored yet, so it may take long without blocking
the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from erstwhile.conversations.messages import last_messages
from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.core.kinds import State
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Tokens
from erstwhile.core.scope import Scope, Viewer
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.learning import answer
from erstwhile.learning.attempts import CAPPED, PATTERNS, AttemptChange, AttemptOutcome, refusal
from erstwhile.learning.candidate import BY_MODEL, Candidate, ChangeType
from erstwhile.learning.extract import ModelCalls, extraction_prompt, relevant_facts
from erstwhile.learning.guard.checks import guarded, masked, room_left
from erstwhile.learning.patterns import read as patterns
from erstwhile.learning.progress import PendingTurn
from erstwhile.learning.provenance import with_provenance
from erstwhile.learning.reconcile import storing_scope
from erstwhile.learning.salience import ALWAYS, Salience, salience
from erstwhile.learning.turn import Turn, TurnLine, earlier_lines, to_turn
from erstwhile.learning.verify import verified
from erstwhile.recall.filters import ANY_RECORD, RecallOptions
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.view import View
from erstwhile.usage.collection import SpendingBudget

NEAR = 10
"""How many facts the finding of a pattern is compared with."""
EARLIER = 100
"""How many earlier messages are searched for who said a word first."""
_NOTHING_SAID = Salience(False, "the turn has no text to learn from")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A turn, the candidates found in it, and what finding them cost."""

    turn: Turn | None = None
    salience: Salience = _NOTHING_SAID
    """Whether the turn was read, and why."""
    method: str = "none"
    notes: tuple[str, ...] = ()
    """Notes that explain the outcome."""
    model: str = ""
    tokens: Tokens | None = None
    cost: Decimal | None = None
    failure: LlmError | None = None
    at_fault: bool = False
    """Whether this turn caused the failure, and not the model."""
    candidates: tuple[Candidate, ...] = ()
    """The candidates to apply, some of them held."""
    refused: tuple[AttemptChange, ...] = ()
    """The proposals that are not applied."""
    near: tuple[str, ...] = ()
    """The ids of the facts to compare the candidates with."""

    def failed(self, failure: LlmError, *, at_fault: bool) -> Evaluation:
        """Return the evaluation with a failure and without candidates."""
        return replace(self, failure=failure, at_fault=at_fault, candidates=(), refused=())

    def with_cost(self, calls: ModelCalls) -> Evaluation:
        model = calls.llm.model
        return replace(
            self, method=f"{BY_MODEL}{model}", model=model, tokens=calls.tokens, cost=calls.cost
        )

    def outcome(self, changes: Iterable[AttemptChange]) -> AttemptOutcome:
        """Return the outcome of an attempt that led to these changes."""
        if self.failure is not None:
            return AttemptOutcome.FAILED
        if not self.salience.durable:
            return AttemptOutcome.NOT_SALIENT
        acts = {change.act for change in changes} - {ChangeType.REFUSE}
        if not acts:
            return AttemptOutcome.NOTHING
        return AttemptOutcome.HELD if acts == {ChangeType.HOLD} else AttemptOutcome.LEARNED


@dataclass(frozen=True, slots=True)
class TurnEvaluator:
    """Evaluates turns in one scope."""

    services: Services
    access: Access
    cancelled: Callable[[], bool] = lambda: False

    def evaluate(self, pending: PendingTurn) -> Evaluation:
        """Evaluate a turn. An exception in the rules becomes a failure of this turn."""
        turn = to_turn(pending.messages, pending.before, after_tools=pending.after_tools)
        if turn is None:
            return Evaluation()
        judged = salience(turn) if self.services.policy.salience else ALWAYS
        evaluation = Evaluation(turn=turn, salience=judged)
        if not judged.durable:
            return evaluation
        try:
            return self._find_candidates(turn, evaluation)
        except ErstwhileError:
            raise
        except Exception as error:
            return with_internal_error(evaluation, error)

    def by_patterns(
        self, turn: Turn, evaluation: Evaluation, *notes: str, method: str = PATTERNS
    ) -> Evaluation:
        """Return what patterns find, without a model."""
        found = patterns.candidates(turn)
        most = self.services.policy.facts_per_turn
        if len(found) > most:
            notes = (*notes, f"{len(found) - most} statements above {most} left out")
        candidates = self._guarded(found[:most], turn)
        near = [hit for each in candidates for hit in self._near(each)]
        return self._split(replace(evaluation, method=method, notes=notes), candidates, near)

    def _find_candidates(self, turn: Turn, evaluation: Evaluation) -> Evaluation:
        """Return the candidates of a turn, or the failure of the model."""
        try:
            llm = self.services.llm()
        except ErstwhileError as error:  # such as a missing package or key
            log_failure(__name__, "the language model cannot be created", error=error)
            return evaluation.failed(LlmError(str(error)), at_fault=False)
        if llm is None:
            return self.by_patterns(turn, evaluation)
        budget = SpendingBudget(self.access, self.services)
        if limit := budget.reached_limit():
            return self.by_patterns(turn, evaluation, limit, method=CAPPED)
        calls = ModelCalls(llm, budget, self.cancelled)
        try:
            return self._by_model(turn, evaluation, calls)
        except LlmError as failure:
            log_failure(__name__, "a turn was not read by the language model", error=failure)
            spent = evaluation.with_cost(calls)
            return spent.failed(failure, at_fault=calls.answered)

    def _by_model(self, turn: Turn, evaluation: Evaluation, calls: ModelCalls) -> Evaluation:
        """Extract, find the provenance, guard and verify."""
        known = relevant_facts(self.services, self.access, turn)
        written = calls.ask(extraction_prompt(turn, known))
        most = self.services.policy.facts_per_turn
        read = answer.read(written, turn, known, calls.llm.model, most)
        known = [*known, *self._key_values(read.candidates, known)]
        told = replace(turn, earlier=self._earlier(turn)) if read.candidates else turn
        found = [with_provenance(each, told, known) for each in read.candidates]
        found = self._guarded(found, turn)
        if self.services.policy.verify:
            found = verified(found, turn, known, calls.ask)
        spent = evaluation.with_cost(calls)
        return self._split(replace(spent, notes=read.notes, refused=read.refused), found, known)

    def _split(
        self, evaluation: Evaluation, found: Sequence[Candidate], known: Sequence[Fact]
    ) -> Evaluation:
        """Return the evaluation with the candidates to apply, and the refused ones apart.

        Their texts for the record have no data that the policy masks.
        """
        policy = self.services.policy
        shown = [
            replace(each, masked=masked(each.text, policy), quote=masked(each.quote, policy))
            for each in found
        ]
        refused = [
            refusal(each.masked, each.quote, each.refused.reason, each.refused.rule)
            for each in shown
            if each.refused
        ]
        return replace(
            evaluation,
            candidates=tuple(each for each in shown if not each.refused),
            refused=(*evaluation.refused, *refused),
            near=tuple(dict.fromkeys(fact.id for fact in known)),
        )

    def _guarded(self, found: Sequence[Candidate], turn: Turn) -> list[Candidate]:
        """Return the candidates with the verdicts of the guard, within the room that is left."""
        rooms = dict[Scope, dict[str, int]]()
        clean = list[Candidate]()
        for each in found:
            scope = turn.learn_to or storing_scope(each, turn.scope)
            if scope not in rooms:
                rooms[scope] = room_left(
                    self.access.seen_by(Viewer(scope=scope)), self.services.policy
                )
            clean.append(guarded(each, self.services.policy, rooms[scope]))
        return clean

    def _earlier(self, turn: Turn) -> tuple[TurnLine, ...]:
        """Return the messages before a turn, the newest within a limit."""
        messages = self.access.ask(
            lambda view: last_messages(view, turn.conversation, limit=EARLIER, before=turn.position)
        )
        return earlier_lines(messages, turn)

    def _key_values(self, candidates: Sequence[Candidate], known: Sequence[Fact]) -> list[Fact]:
        """Return the present values of the candidates' keys that were not shown."""
        shown = {fact.id for fact in known}
        keys = dict.fromkeys(each.key for each in candidates if each.key is not None)

        def values(view: View) -> list[Fact]:
            found = (view.rows("find_value", {"key": key}, State.LIVE) for key in keys)
            return [to_fact(row) for rows in found for row in rows]

        return [fact for fact in self.access.ask(values) if fact.id not in shown]

    def _near(self, candidate: Candidate) -> list[Fact]:
        """Return the facts that the finding of a pattern may replace or end.

        Values of its key and repetitions are found when it is applied.
        """
        if not candidate.ends and not candidate.instead_of:
            return []
        query = " ".join((candidate.text, *candidate.instead_of))
        options = RecallOptions(limit=NEAR, recent=candidate.ends)
        hits = self.services.recall.search(self.access, query, ANY_RECORD, options)
        return [hit.fact for hit in hits]


def with_internal_error(evaluation: Evaluation, error: Exception) -> Evaluation:
    """Return the evaluation as failed, so that one turn does not stop all turns after it."""
    log_failure(__name__, "a turn was not learned from", error=error)
    message = f"learning from it failed with {type(error).__name__}"
    return evaluation.failed(LlmError(message, retryable=False), at_fault=True)
