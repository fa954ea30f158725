"""From the messages of a turn to all that its storing needs. Models are asked here, and only here.

Nothing is stored yet, so that it may take its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.learning.apply_changes import Passed
from erstwhile.learning.attempt import AttemptChange, AttemptOutcome
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.change import Act
from erstwhile.learning.extraction import Findings, look
from erstwhile.learning.guard import gravest, judge
from erstwhile.learning.guard.budget import group_of
from erstwhile.learning.learning_budget import room_left
from erstwhile.learning.progress import PendingTurn
from erstwhile.learning.salience import Salience, salience
from erstwhile.learning.turn import Turn
from erstwhile.learning.turns import to_turn
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.recall.hits import Options
from erstwhile.services import Services
from erstwhile.storage.access import Access

NEAR = 10
"""Facts that each candidate is compared with."""
_UNREAD = Findings(method="none")
_NOTHING_SAID = Salience(False, "nothing that may be learned from")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A turn, what was found in it, and what the guard says of that."""

    turn: Turn | None
    salience: Salience
    """Whether the turn was looked through, and why."""
    findings: Findings
    passed: tuple[Passed, ...] = ()
    refused: tuple[AttemptChange, ...] = ()
    near: tuple[str, ...] = ()
    """Ids of the facts that what was found is compared with."""


def weigh(
    services: Services, access: Access, pending: PendingTurn, cancelled: Callable[[], bool]
) -> Weighed:
    """Look through a turn, unless nothing in it can matter, and weigh what is found."""
    turn = to_turn(pending.messages)
    if turn is None:
        return Weighed(turn=None, salience=_NOTHING_SAID, findings=_UNREAD)
    told = salience(turn)
    if not told.durable:
        return Weighed(turn=turn, salience=told, findings=_UNREAD)
    findings = _UNREAD
    try:
        findings = look(services, access, turn, cancelled)
        return guarded(services, access, turn, told, findings)
    except ErstwhileError:
        raise
    except Exception as error:
        return Weighed(turn=turn, salience=told, findings=stumbled(findings, error))


def stumbled(findings: Findings, error: Exception) -> Findings:
    """A turn that our own rules trip over: it must not stop all that come after it."""
    told = f"learning from it failed with {type(error).__name__}"
    return findings.failed(LlmError(told, retryable=False), at_fault=True)


def guarded(
    services: Services, access: Access, turn: Turn, told: Salience, findings: Findings
) -> Weighed:
    """What the guard says of each candidate, and which facts each is to be compared with."""
    room = room_left(access) if findings.candidates else {}
    passed: list[Passed] = []
    refused: list[AttemptChange] = []
    for candidate in findings.candidates:
        clean, verdicts = judge(candidate, turn, services.policy, room)
        if gravest(verdicts) is Action.REFUSE:
            refused.append(_refusal(verdicts))
            continue
        room[group_of(clean.kind)] -= len(clean.text)
        passed.append(Passed(candidate=clean, held=_holding(verdicts), rule=_rules(verdicts)))
    return Weighed(
        turn=turn,
        salience=told,
        findings=findings,
        passed=tuple(passed),
        refused=tuple(refused),
        near=_near(services, access, findings, [each.candidate for each in passed]),
    )


def outcome_of(weighed: Weighed, changes: Iterable[AttemptChange]) -> AttemptOutcome:
    """How an attempt went."""
    if weighed.findings.failure is not None:
        return AttemptOutcome.FAILED
    if not weighed.salience.durable:
        return AttemptOutcome.NOT_SALIENT
    learned = any(change.act is not Act.REFUSE for change in changes)
    return AttemptOutcome.LEARNED if learned else AttemptOutcome.NOTHING


def _near(
    services: Services, access: Access, findings: Findings, candidates: list[Candidate]
) -> tuple[str, ...]:
    """What was shown, and what recall finds for each: also for the value that it replaces."""
    ids = list(findings.shown)
    for candidate in candidates:
        question = " ".join((candidate.text, *candidate.instead_of))
        hits = services.search.recall(access, question, {}, Options(limit=NEAR))
        ids += [*candidate.replaces, *(hit.fact.id for hit in hits)]
    return tuple(dict.fromkeys(ids))


def _refusal(verdicts: tuple[Verdict, ...]) -> AttemptChange:
    [first, *_] = [each for each in verdicts if each.action is Action.REFUSE]
    return AttemptChange(act=Act.REFUSE, fact=None, because=first.reason, rule=first.rule)


def _holding(verdicts: tuple[Verdict, ...]) -> Verdict | None:
    return next((each for each in verdicts if each.action is Action.HOLD), None)


def _rules(verdicts: tuple[Verdict, ...]) -> str:
    return ", ".join(dict.fromkeys(each.rule for each in verdicts))
