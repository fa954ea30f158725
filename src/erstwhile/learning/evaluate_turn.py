"""Evaluation: from the messages of a turn to candidates that the guard has judged.

Only this part of learning calls the language model. Nothing is stored yet, so an
evaluation may take long without blocking the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.core.logs import log_failure
from erstwhile.facts.fact import Fact
from erstwhile.learning import corroboration
from erstwhile.learning.apply_changes import GuardedCandidate
from erstwhile.learning.attempt import AttemptChange, AttemptOutcome
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.change import Act
from erstwhile.learning.extraction import Extractor, Findings
from erstwhile.learning.guard import gravest, judge, masked
from erstwhile.learning.guard.budget import group_of, room_left
from erstwhile.learning.progress import PendingTurn
from erstwhile.learning.quoted_words import is_alone, is_plain
from erstwhile.learning.reading import reader_of
from erstwhile.learning.salience import Salience, salience
from erstwhile.learning.second_look.look import Judged, question_about, with_answers
from erstwhile.learning.turn import Turn, to_turn
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.learning.weighing import weighed
from erstwhile.recall.paraphrases import Paraphrases
from erstwhile.recall.request import ANY_RECORD, RecallOptions

NEAR = 10
"""How many facts each candidate is compared with."""
_NOTHING_SAID = Salience(False, "the turn has no text to learn from")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A turn, the candidates found in it, and the guard's verdicts on them."""

    turn: Turn | None = None
    salience: Salience = _NOTHING_SAID
    """Whether the turn was read, and why."""
    findings: Findings = field(default_factory=lambda: Findings(method="none"))
    passed: tuple[GuardedCandidate, ...] = ()
    refused: tuple[AttemptChange, ...] = ()
    near: tuple[str, ...] = ()
    """The ids of the facts to compare the candidates with."""

    def outcome(self, changes: Iterable[AttemptChange]) -> AttemptOutcome:
        """Return the outcome of an attempt that led to these changes."""
        if self.findings.failure is not None:
            return AttemptOutcome.FAILED
        if not self.salience.durable:
            return AttemptOutcome.NOT_SALIENT
        acts = {change.act for change in changes} - {Act.REFUSE}
        if not acts:
            return AttemptOutcome.NOTHING
        return AttemptOutcome.HELD if acts == {Act.HOLD} else AttemptOutcome.LEARNED


class TurnEvaluator(Extractor):
    """Evaluates turns in one scope."""

    def evaluate(self, pending: PendingTurn) -> Evaluation:
        """Evaluate a turn. An exception in the rules becomes a failure of this turn."""
        turn = to_turn(pending.messages, pending.before, after_tools=pending.after_tools)
        if turn is None:
            return Evaluation()
        judged = salience(turn)
        evaluation = Evaluation(turn=turn, salience=judged)
        if not judged.durable:
            return evaluation
        findings = evaluation.findings
        try:
            findings = self.extract(turn)
            return self.guard(turn, judged, findings)
        except ErstwhileError:
            raise
        except Exception as error:
            return Evaluation(
                turn=turn, salience=judged, findings=with_internal_error(findings, error)
            )

    def guard(self, turn: Turn, judged: Salience, findings: Findings) -> Evaluation:
        """Judge each candidate, and choose the facts to compare the accepted ones with."""
        paraphrases = self.services.recall.paraphrases()
        found = self._judged(turn, findings, paraphrases)
        found = self._read(found, turn, findings.shown)
        found, findings = self._look_again(found, turn, findings)
        if findings.failure is not None:
            return Evaluation(turn=turn, salience=judged, findings=findings)
        passed, refused = list[GuardedCandidate](), list(findings.refused)
        for clean, verdicts in _corroborated(found, turn, findings.shown, paraphrases):
            told = self._told(clean)
            if gravest(verdicts) is Action.REFUSE:
                refused.append(_refusal(verdicts, told))
            else:
                passed.append(_guarded(clean, verdicts, told))
        return Evaluation(
            turn=turn,
            salience=judged,
            findings=findings,
            passed=tuple(passed),
            refused=tuple(refused),
            near=self._near(findings, [each.candidate for each in passed]),
        )

    def _judged(
        self, turn: Turn, findings: Findings, paraphrases: Paraphrases | None
    ) -> list[Judged]:
        """Return the candidates with the verdicts of the rules, within the room that is left."""
        room = room_left(self.access) if findings.candidates else {}
        known = [fact.text for fact in findings.shown]
        alone = is_alone(turn)
        plain = alone and is_plain(turn)
        found = list[Judged]()
        for candidate in findings.candidates:
            clean, verdicts = judge(candidate, turn, self.services.policy, room, known, paraphrases)
            if gravest(verdicts) is not Action.REFUSE:
                room[group_of(clean.kind)] -= len(clean.text)
            found.append((replace(clean, is_alone=alone, is_plain=plain), verdicts))
        return found

    def _read(self, found: list[Judged], turn: Turn, known: Sequence[Fact]) -> list[Judged]:
        """Return the candidates with what the network reads in their words."""
        reader = reader_of(self.services.recall.embedder) if found else None
        if reader is None:
            return found
        # Imported here: it needs numpy, which learning by rules does without.
        from erstwhile.learning.read_words import read

        candidates = read([each for each, _ in found], turn, known, reader)
        return [(each, verdicts) for each, (_, verdicts) in zip(candidates, found, strict=True)]

    def _look_again(
        self, found: list[Judged], turn: Turn, findings: Findings
    ) -> tuple[list[Judged], Findings]:
        """Return the candidates with what the model says when it is asked again about them."""
        llm = self.services.llm() if self.services.second_look and findings.tokens else None
        question = None if llm is None else question_about(found, turn, findings.shown)
        if llm is None or question is None:
            return found, findings
        asked, answer = self.ask_again(llm, question.prompt, findings)
        if answer is None:
            return found, asked
        try:
            return with_answers(found, question.read(answer)), asked
        except LlmError as failure:
            log_failure(__name__, "the second answer of the model is unusable", error=failure)
            return found, asked.noting("its second answer is unusable")

    def _told(self, candidate: Candidate) -> tuple[str, str]:
        """Return the text and the quotation without data that the policy keeps out of facts."""
        policy = self.services.policy
        return masked(candidate.text, policy), masked(candidate.quote, policy)

    def _near(self, findings: Findings, candidates: list[Candidate]) -> tuple[str, ...]:
        """Return the ids of the facts shown to the model, and of those near each candidate.

        Facts near a value that a candidate replaces are included.
        """
        ids = [fact.id for fact in findings.shown]
        for candidate in candidates:
            question = " ".join((candidate.text, *candidate.instead_of))
            # What is over may be named by another form of its word, which a search does not find.
            options = RecallOptions(limit=NEAR, recent=candidate.ends)
            hits = self.services.recall.search(self.access, question, ANY_RECORD, options)
            ids += [*candidate.replaces, *(hit.fact.id for hit in hits)]
        return tuple(dict.fromkeys(ids))


def _corroborated(
    found: Sequence[Judged],
    turn: Turn,
    known: Sequence[Fact],
    paraphrases: Paraphrases | None,
) -> Iterator[Judged]:
    """Yield the candidates of a model with what the others and the known facts say about them."""
    accepted = [
        candidate
        for candidate, verdicts in found
        if gravest(weighed(candidate, verdicts)[1]) not in (Action.HOLD, Action.REFUSE)
        and not candidate.ends
    ]
    stated = [candidate for candidate, _ in found if not candidate.ends]
    for candidate, verdicts in found:
        if not candidate.by_model:
            yield candidate, verdicts
            continue
        told = corroboration.told_as_ended(candidate, accepted)
        candidate = replace(candidate, told_beside=told)
        more = [
            *corroboration.objections(candidate, stated, turn),
            *corroboration.told_of_known(candidate, known),
            *corroboration.ends_another(candidate, known, paraphrases),
        ]
        if candidate.ends and not candidate.replaces:  # there is nothing to keep in quarantine
            more = [replace(each, action=Action.REFUSE) for each in more]
        yield weighed(candidate, (*verdicts, *more))


def with_internal_error(findings: Findings, error: Exception) -> Findings:
    """Return the findings as failed, so that one turn does not stop all turns after it."""
    log_failure(__name__, "a turn was not learned from", error=error)
    message = f"learning from it failed with {type(error).__name__}"
    return findings.failed(LlmError(message, retryable=False), at_fault=True)


def _guarded(
    candidate: Candidate, verdicts: tuple[Verdict, ...], told: tuple[str, str]
) -> GuardedCandidate:
    held = next((each for each in verdicts if each.action is Action.HOLD), None)
    rules = ", ".join(dict.fromkeys(each.rule for each in verdicts))
    return GuardedCandidate(candidate=candidate, held=held, rule=rules, told=told)


def _refusal(verdicts: tuple[Verdict, ...], told: tuple[str, str]) -> AttemptChange:
    [first, *_] = [each for each in verdicts if each.action is Action.REFUSE]
    text, quote = told
    return AttemptChange(
        act=Act.REFUSE, fact=None, because=first.reason, rule=first.rule, text=text, quote=quote
    )
