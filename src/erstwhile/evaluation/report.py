"""Score the answers of a trial, by category and overall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from erstwhile.evaluation.haystack import QuestionSet
from erstwhile.evaluation.metrics import HITS, METRICS, Metric
from erstwhile.evaluation.trial import Answer, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextScores:
    """The contexts of one budget."""

    budget: int
    evidence: float
    """The mean share of the evidence of a question that is quoted."""
    tokens: float
    """The mean number of tokens that were used."""
    wishes: float | None
    """The share of the wishes that are stated; None if no question has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryScores:
    """The metrics of one category of questions, or of all questions."""

    category: str
    questions: int
    wishes: int
    """The number of questions with a wish."""
    erstwhile: Mapping[str, float] = field(hash=False)
    baseline: Mapping[str, float] = field(hash=False)
    contexts: tuple[ContextScores, ...]

    @property
    def ratio(self) -> dict[str, float | None]:
        """Each metric divided by that of the baseline; None if the baseline found nothing."""
        return {
            name: ours / self.baseline[name] if self.baseline[name] else None
            for name, ours in self.erstwhile.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a trial."""

    data: str
    stored_as: str
    embedder: str
    flushed: bool
    baseline: str
    items: int
    lines: tuple[CategoryScores, ...]


@dataclass(frozen=True, slots=True)
class Reports:
    """The results of several trials."""

    reports: tuple[Report, ...]


def report(
    trial: Trial, questions: QuestionSet, answers: Sequence[Answer], embedder: str
) -> Report:
    """Return the scores of the answers to a set of questions."""
    return Report(
        data=questions.name,
        stored_as=trial.way,
        embedder=embedder,
        flushed=trial.flush,
        baseline="SQLite's FTS5 alone" if trial.alone is None else "the embedder alone",
        items=sum(len(haystack.items) for haystack in questions.haystacks),
        lines=tuple(summary(answers, HITS if questions.is_paraphrased else METRICS)),
    )


def summary(
    answers: Sequence[Answer], metrics: Mapping[str, Metric] = METRICS
) -> list[CategoryScores]:
    """Return the metrics of each category and, last, of all questions."""
    categories = dict.fromkeys(answer.question.category for answer in answers)
    lines = [
        _scores(name, [each for each in answers if each.question.category == name], metrics)
        for name in sorted(categories)
    ]
    return [*(lines if len(lines) > 1 else ()), _scores("all", answers, metrics)]


def _scores(
    category: str, answers: Sequence[Answer], metrics: Mapping[str, Metric]
) -> CategoryScores:
    return CategoryScores(
        category=category,
        questions=len(answers),
        wishes=sum(bool(each.question.wish) for each in answers),
        erstwhile={name: _mean(metric, answers) for name, metric in metrics.items()},
        baseline={name: _mean(metric, answers, True) for name, metric in metrics.items()},
        contexts=tuple(_contexts(budget, answers) for budget in answers[0].shown),
    )


def _mean(metric: Metric, answers: Sequence[Answer], baseline: bool = False) -> float:
    return fmean(
        metric.of(
            each.baseline if baseline else each.found[metric.asked],
            each.question.relevant,
            metric.depth,
        )
        for each in answers
    )


def _contexts(budget: int, answers: Sequence[Answer]) -> ContextScores:
    shown = [each.shown[budget] for each in answers]
    wished = [each.shown[budget].wish for each in answers if each.question.wish]
    return ContextScores(
        budget=budget,
        evidence=fmean(each.evidence for each in shown),
        tokens=fmean(each.tokens for each in shown),
        wishes=fmean(wished) if wished else None,
    )
