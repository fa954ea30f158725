"""Run a trial: remember all items, ask all questions, and score the answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from erstwhile.evaluation.baseline import rank_by_words
from erstwhile.evaluation.haystack import Haystack, Question
from erstwhile.evaluation.metrics import DEEPEST, METRICS, Metric, averages
from erstwhile.memory import Memory

Progress = Callable[[int, int], None]
"""Called with the number of answered questions and the number of all questions."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The ids found for a question, best first, by Erstwhile and by the baseline."""

    question: Question
    found: Sequence[str]
    baseline: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryScores:
    """The metrics of one category of questions, or of all questions."""

    category: str
    questions: int
    erstwhile: Mapping[str, float] = field(hash=False)
    baseline: Mapping[str, float] = field(hash=False)

    @property
    def ratio(self) -> dict[str, float | None]:
        """Each metric divided by that of the baseline; None if the baseline found nothing."""
        return {
            name: ours / self.baseline[name] if self.baseline[name] else None
            for name, ours in self.erstwhile.items()
        }

    def __str__(self) -> str:
        """Return all metrics in one line."""
        return "   ".join(f"{name} {self.formatted(name)}" for name in self.erstwhile)

    def formatted(self, name: str) -> str:
        """Return the ratio of a metric, its value and, in brackets, that of the baseline."""
        ratio = self.ratio[name]
        times = "" if ratio is None else f"×{ratio:.2f} "
        return f"{times}{self.erstwhile[name]:.3f} ({self.baseline[name]:.3f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a trial."""

    data: str
    embedder: str
    items: int
    lines: tuple[CategoryScores, ...]


def run_trial(memory: Memory, haystacks: Sequence[Haystack], progress: Progress) -> list[Answer]:
    """Ask the questions of each haystack, each in its own scope."""
    total = sum(len(haystack.questions) for haystack in haystacks)
    answers: list[Answer] = []
    progress(0, total)
    for haystack in haystacks:
        scope = memory.scoped(project=haystack.name)
        ids = store(scope, haystack)
        for question, baseline in zip(
            haystack.questions, rank_by_words(haystack, DEEPEST), strict=True
        ):
            answers.append(Answer(question, ask(scope, question.text, ids), baseline))
            progress(len(answers), total)
    return answers


def store(memory: Memory, haystack: Haystack) -> dict[str, list[str]]:
    """Remember all items; return the item ids of each fact. Repeated texts become one fact."""
    drafts: list[dict[str, Any]] = [{"text": item.text, **item.details} for item in haystack.items]
    ids: dict[str, list[str]] = {}
    for item, fact in zip(haystack.items, memory.remember_many(drafts), strict=True):
        ids.setdefault(fact.id, []).append(item.id)
    memory.flush()
    return ids


def ask(memory: Memory, question: str, ids: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the ids of the items that recall finds for a question."""
    hits = memory.recall(question, DEEPEST)
    return [id for hit in hits for id in ids[hit.fact.id]]


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
    def figures(found: Callable[[Answer], Sequence[str]]) -> dict[str, float]:
        pairs: list[tuple[Sequence[str], Collection[str]]] = [
            (found(each), each.question.relevant) for each in answers
        ]
        return averages(pairs, metrics)

    return CategoryScores(
        category=category,
        questions=len(answers),
        erstwhile=figures(lambda each: each.found),
        baseline=figures(lambda each: each.baseline),
    )
