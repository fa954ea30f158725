"""Learning from one turn: what came of it is stored together with the mark that it is done.

A model that cannot be reached, or that a wrong key keeps from answering, says nothing about the
turn: it is asked again later. An answer that cannot be used counts against the turn, which is given
up after a few, so that it blocks no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TypeVar

from erstwhile.core.errors import ConflictError, ErstwhileError
from erstwhile.core.text import MAX_REASON
from erstwhile.learning import attempts
from erstwhile.learning import progress_table as learning_progress
from erstwhile.learning.apply_changes import settle
from erstwhile.learning.attempt import Attempt, AttemptChange, AttemptOutcome
from erstwhile.learning.evaluate_turn import Weighed, guarded, outcome_of, stumbled, weigh
from erstwhile.learning.extraction import Findings, by_patterns
from erstwhile.learning.progress import Learner, PendingTurn
from erstwhile.learning.salience import Salience
from erstwhile.learning.shortening import shortened
from erstwhile.secrets.masking import mask_text
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.usage import spending

Result = TypeVar("Result")

MOST_TRIES = 3
"""After so many unusable answers a turn is given up."""
_DEADLY = Weighed(
    turn=None,
    salience=Salience(False, "whoever learned from it died"),
    findings=Findings(method="none"),
)
LATER = timedelta(minutes=1)
"""When a model that cannot be reached is asked again, unless it says when."""
MUCH_LATER = timedelta(minutes=10)
"""When one is that does not answer for a reason that does not pass by itself."""
SOONEST, LATEST = 5.0, 86_400.0
"""Seconds, however soon or late a server asks to be asked again."""


def learn_turn(
    services: Services,
    access: Access,
    learner: Learner,
    pending: PendingTurn,
    cancelled: Callable[[], bool],
) -> tuple[Attempt | None, Learner | None]:
    """Learn from the next turn. When no learner comes back, the conversation was given back.

    When it was cancelled, there is no attempt either.
    """
    if learner.tries >= MOST_TRIES:  # all who tried died: it is not even read
        return access.change(partial(_given_up, learner, pending, _DEADLY))
    found = weigh(services, access, pending, cancelled)
    if found.findings.failure is None:
        try:
            return _stored(access, found, partial(_learned, learner, pending, found))
        except ErstwhileError:
            raise
        except Exception as error:
            found = replace(found, passed=(), findings=stumbled(found.findings, error))
    if cancelled():
        return None, None
    return _not_learned(services, access, learner, pending, found)


def _not_learned(
    services: Services, access: Access, learner: Learner, pending: PendingTurn, found: Weighed
) -> tuple[Attempt, Learner | None]:
    """To be tried again; or given up, with what patterns can still find in it."""
    retry_after = _delay(found.findings)
    if retry_after is not None or learner.tries + 1 < MOST_TRIES:
        failed = partial(_failed, learner, pending, found, retry_after)
        return _stored(access, found, failed), None
    try:
        rest = _rest(services, access, found)
        return _stored(access, rest, partial(_given_up, learner, pending, rest))
    except ErstwhileError:
        raise
    except Exception:  # patterns are, or meet, what it failed with
        return _stored(access, found, partial(_given_up, learner, pending, found))


def _rest(services: Services, access: Access, found: Weighed) -> Weighed:
    """What patterns can still find in a turn that is given up."""
    if found.turn is None:
        return found
    plain, spent = by_patterns(found.turn, *_reasons(found.findings)), found.findings
    findings = replace(plain, model=spent.model, tokens=spent.tokens, cost=spent.cost)
    return guarded(services, access, found.turn, found.salience, findings)


def store(
    unit: Unit, pending: PendingTurn, found: Weighed, outcome: AttemptOutcome | None = None
) -> Attempt:
    """What was found becomes memory, with the attempt and what it took."""
    made = [] if found.turn is None else settle(unit, found.turn, found.passed, found.near)
    changes = (*made, *found.refused)
    outcome = outcome or outcome_of(found, changes)
    given_up = [f"given up after {MOST_TRIES} tries"] * (outcome is AttemptOutcome.GIVEN_UP)
    reason = "; ".join((*given_up, *_reasons(found.findings), found.salience.reason))
    return _note(unit, pending, found.findings, outcome, reason, changes)


def _reasons(findings: Findings) -> tuple[str, ...]:
    failed = () if findings.failure is None else (findings.failure.message,)
    return failed + findings.notes


def _note(
    unit: Unit,
    pending: PendingTurn,
    findings: Findings,
    outcome: AttemptOutcome,
    reason: str,
    changes: Sequence[AttemptChange],
) -> Attempt:
    """The attempt, and the call on the ledger if there was one."""
    unit.tick()
    if findings.tokens is not None:
        spending.record_call(unit, findings.model, findings.tokens, findings.cost)
    return attempts.add(
        unit,
        pending,
        outcome,
        method=findings.method,
        reason=shortened(mask_text(reason), MAX_REASON),
        tokens=findings.tokens,
        cost=findings.cost,
        changes=changes,
    )


def _stored(access: Access, found: Weighed, work: Callable[[Unit], Result]) -> Result:
    """All of it, or nothing; what the model took was spent all the same."""
    try:
        return access.change(work)
    except ConflictError:
        spent = found.findings
        if (tokens := spent.tokens) is not None:
            access.change(lambda unit: spending.record_call(unit, spent.model, tokens, spent.cost))
        raise


def _learned(
    learner: Learner, pending: PendingTurn, found: Weighed, unit: Unit
) -> tuple[Attempt, Learner]:
    return store(unit, pending, found), learning_progress.finish(unit, learner, pending)


def _given_up(
    learner: Learner, pending: PendingTurn, found: Weighed, unit: Unit
) -> tuple[Attempt, Learner]:
    attempt = store(unit, pending, found, AttemptOutcome.GIVEN_UP)
    return attempt, learning_progress.finish(unit, learner, pending)


def _failed(
    learner: Learner,
    pending: PendingTurn,
    found: Weighed,
    retry_after: timedelta | None,
    unit: Unit,
) -> Attempt:
    retry_at = None if retry_after is None else unit.now + retry_after
    learning_progress.fail(unit, learner, retry_at, counted=retry_after is None)
    return store(unit, pending, found)


def _delay(findings: Findings) -> timedelta | None:
    """When to ask again what is not the turn's fault; None if it is the turn's."""
    failure = findings.failure
    if failure is None or (findings.at_fault and not failure.retryable):
        return None
    if not failure.retryable:
        return MUCH_LATER
    if failure.retry_after is None:
        return LATER
    return timedelta(seconds=min(max(SOONEST, failure.retry_after), LATEST))
