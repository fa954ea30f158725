"""Score dialogues that were played: by learner, and by what they are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from erstwhile.evaluation.dialogues import Dialogue, Learner


class Fault(StrEnum):
    """What is wrong at the end of a dialogue."""

    WRONGLY_RETIRED = "wrongly retired"
    STALE = "stale kept"
    BELIEVED = "wrongly believed"
    MISSED = "missed"
    ENDED_OTHERWISE = "not ended as wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueResult:
    """A dialogue that was played, and the facts at its end."""

    dialogue: Dialogue
    learner: Learner
    faults: frozenset[Fault]
    live: tuple[str, ...]
    retired: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueScores:
    """The dialogues of one learner and one kind, or of all kinds. Some have several faults."""

    learner: Learner
    kind: str
    dialogues: int
    right: int
    wrongly_retired: int
    stale: int
    believed: int
    missed: int
    ended_otherwise: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueReport:
    """The result of a trial: scores by learner and kind, and every dialogue."""

    lines: tuple[DialogueScores, ...]
    played: tuple[DialogueResult, ...]

    def total(self, learner: Learner) -> DialogueScores:
        """Return the scores of a learner in all dialogues."""
        return next(each for each in self.lines if (each.learner, each.kind) == (learner, "all"))


def dialogue_report(
    played: Sequence[DialogueResult], learners: Sequence[Learner]
) -> DialogueReport:
    """Return the scores of each learner: of all its dialogues, then of each kind."""
    return DialogueReport(lines=tuple(_summary(played, learners)), played=tuple(played))


def _summary(
    played: Sequence[DialogueResult], learners: Sequence[Learner]
) -> Iterator[DialogueScores]:
    for learner in learners:
        own = [each for each in played if each.learner is learner]
        yield _scores(learner, "all", own)
        for kind in dict.fromkeys(each.dialogue.kind for each in own):
            yield _scores(learner, kind, [each for each in own if each.dialogue.kind == kind])


def _scores(learner: Learner, kind: str, played: Sequence[DialogueResult]) -> DialogueScores:
    def with_fault(fault: Fault) -> int:
        return sum(fault in each.faults for each in played)

    return DialogueScores(
        learner=learner,
        kind=kind,
        dialogues=len(played),
        right=sum(each.is_right for each in played),
        wrongly_retired=with_fault(Fault.WRONGLY_RETIRED),
        stale=with_fault(Fault.STALE),
        believed=with_fault(Fault.BELIEVED),
        missed=with_fault(Fault.MISSED),
        ended_otherwise=with_fault(Fault.ENDED_OTHERWISE),
    )
