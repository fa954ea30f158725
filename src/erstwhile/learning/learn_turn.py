"""Learn from one turn: store the result together with the mark that the turn is done.

An unreachable model or a wrong key is not the fault of the turn: the model is asked again later.
An unusable answer counts as a failure of the turn. After a few failures the turn is given up, so
that it does not block the turns after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from erstwhile.core.errors import ConflictError, ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.text import MAX_REASON
from erstwhile.learning import attempts, progress
from erstwhile.learning.apply import apply_candidates
from erstwhile.learning.attempts import Attempt, AttemptChange, AttemptOutcome
from erstwhile.learning.pipeline import Evaluation, TurnEvaluator, with_internal_error
from erstwhile.learning.progress import LearningLease, PendingTurn
from erstwhile.learning.salience import Salience
from erstwhile.learning.turn import shortened
from erstwhile.secrets.masking import mask_text, texts_in
from erstwhile.storage.unit import Unit
from erstwhile.usage.collection import record_call

Result = TypeVar("Result")

MAX_TRIES = 3
"""After this number of unusable answers a turn is given up."""
_CRASHED = Evaluation(salience=Salience(False, "the worker crashed on every attempt"))
LATER = timedelta(minutes=1)
"""The delay before an unreachable model is called again, unless its server gives a delay."""
MUCH_LATER = timedelta(minutes=10)
"""The delay after a permanent failure, such as a wrong key."""
SOONEST, LATEST = 5.0, 86_400.0
"""Bounds in seconds of a delay that a server asks for."""


@dataclass(frozen=True, slots=True)
class TurnLearner:
    """Learns from one turn of a leased conversation."""

    evaluator: TurnEvaluator
    lease: LearningLease
    pending: PendingTurn

    def learn(self) -> tuple[Attempt | None, LearningLease | None]:
        """Learn from the turn. Return the attempt and the lease.

        Without a lease, the conversation was given back. Without an attempt, it was cancelled.
        """
        if self.lease.tries >= MAX_TRIES:  # each worker crashed: do not read it
            return self._store(_CRASHED, self._given_up)
        evaluation = self.evaluator.evaluate(self.pending)
        if evaluation.failure is None:
            try:
                return self._store(evaluation, self._learned)
            except ErstwhileError:
                raise
            except Exception as error:
                evaluation = with_internal_error(evaluation, error)
        if self.evaluator.cancelled():
            return None, None
        return self._not_learned(evaluation)

    def _not_learned(self, evaluation: Evaluation) -> tuple[Attempt, LearningLease | None]:
        """Postpone the turn; or give it up, and use the candidates that patterns find."""
        if _delay(evaluation) is not None or self.lease.tries + 1 < MAX_TRIES:
            return self._store(evaluation, self._failed), None
        try:
            read = evaluation
            if read.turn is not None:
                without_failure = replace(read, failure=None, at_fault=False)
                read = self.evaluator.by_patterns(read.turn, without_failure, *_reasons(read))
            return self._store(read, self._given_up)
        except ErstwhileError:
            raise
        except Exception as error:  # the patterns may have caused the failure
            log_failure(__name__, "a turn was given up without patterns", error=error)
            return self._store(evaluation, self._given_up)

    def _store(self, evaluation: Evaluation, work: Callable[[Unit, Evaluation], Result]) -> Result:
        """Store an evaluation in one transaction; record the cost of the model in any case."""
        access = self.evaluator.access
        try:
            return access.change(
                lambda unit: work(unit, evaluation), texts=_stored_texts(evaluation)
            )
        except ConflictError:
            if (tokens := evaluation.tokens) is not None:
                model, cost = evaluation.model, evaluation.cost
                access.change(lambda unit: record_call(unit, model, tokens, cost))
            raise

    def _learned(
        self, unit: Unit, evaluation: Evaluation, outcome: AttemptOutcome | None = None
    ) -> tuple[Attempt, LearningLease]:
        attempt = store(unit, self.pending, evaluation, outcome)
        return attempt, progress.finish(unit, self.lease, self.pending)

    def _given_up(self, unit: Unit, evaluation: Evaluation) -> tuple[Attempt, LearningLease]:
        return self._learned(unit, evaluation, AttemptOutcome.GIVEN_UP)

    def _failed(self, unit: Unit, evaluation: Evaluation) -> Attempt:
        retry_after = _delay(evaluation)
        retry_at = None if retry_after is None else unit.now + retry_after
        progress.fail(unit, self.lease, retry_at, counted=retry_after is None)
        return store(unit, self.pending, evaluation)


def store(
    unit: Unit, pending: PendingTurn, evaluation: Evaluation, outcome: AttemptOutcome | None = None
) -> Attempt:
    """Apply the candidates to memory, and add the attempt with its cost."""
    made = list[AttemptChange]()
    if evaluation.turn is not None:
        made = apply_candidates(unit, evaluation.turn, evaluation.candidates, evaluation.near)
    changes = (*made, *evaluation.refused)
    outcome = outcome or evaluation.outcome(changes)
    reason = "; ".join(map(mask_text, _why(evaluation, outcome)))
    unit.tick()
    if evaluation.tokens is not None:
        record_call(unit, evaluation.model, evaluation.tokens, evaluation.cost)
    return attempts.add(
        unit,
        pending,
        outcome,
        method=evaluation.method,
        reason=shortened(reason, MAX_REASON),
        tokens=evaluation.tokens,
        cost=evaluation.cost,
        changes=changes,
    )


def _stored_texts(evaluation: Evaluation) -> Iterator[str]:
    yield from texts_in(evaluation.candidates)
    for outcome in (AttemptOutcome.GIVEN_UP, AttemptOutcome.LEARNED):
        yield from _why(evaluation, outcome)


def _why(evaluation: Evaluation, outcome: AttemptOutcome) -> Iterator[str]:
    """Yield the reasons of an outcome. Why a turn was read does not explain its failure."""
    if outcome is AttemptOutcome.GIVEN_UP:
        yield f"given up after {MAX_TRIES} tries"
    yield from _reasons(evaluation)
    failed = outcome in (AttemptOutcome.FAILED, AttemptOutcome.GIVEN_UP)
    if not (failed and evaluation.salience.durable):
        yield evaluation.salience.reason


def _reasons(evaluation: Evaluation) -> tuple[str, ...]:
    failed = () if evaluation.failure is None else (evaluation.failure.message,)
    return failed + evaluation.notes


def _delay(evaluation: Evaluation) -> timedelta | None:
    """Return the delay before the next try; None if the turn caused the failure."""
    failure = evaluation.failure
    if failure is None or (evaluation.at_fault and not failure.retryable):
        return None
    if not failure.retryable:
        return MUCH_LATER
    if failure.retry_after is None:
        return LATER
    return timedelta(seconds=min(max(SOONEST, failure.retry_after), LATEST))
