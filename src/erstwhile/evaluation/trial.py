"""A trial: everything is remembered, every question asked, and the answers are counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from erstwhile.evaluation.baseline import rank_by_words
from erstwhile.evaluation.haystack import Haystack, Question
from erstwhile.evaluation.metrics import DEEPEST, METRICS, Metric, averages
from erstwhile.memory import Memory

Progress = Callable[[int, int], None]
"""Told how many questions are answered, and how many there are."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for a question, best first, by us and by the baseline."""

    question: Question
    found: Sequence[str]
    baseline: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The figures of one category of questions, or of all."""

    category: str
    questions: int
    erstwhile: Mapping[str, float] = field(hash=False)
    baseline: Mapping[str, float] = field(hash=False)

    @property
    def ratio(self) -> dict[str, float | None]:
        """How many times as good as the baseline; None where that found nothing."""
        return {
            name: ours / self.baseline[name] if self.baseline[name] else None
            for name, ours in self.erstwhile.items()
        }

    def __str__(self) -> str:
        """The figures in a line: the ratio first, then ours, then the baseline's."""
        return "   ".join(f"{name} {self.told(name)}" for name in self.erstwhile)

    def told(self, name: str) -> str:
        ratio = self.ratio[name]
        times = "" if ratio is None else f"×{ratio:.2f} "
        return f"{times}{self.erstwhile[name]:.3f} ({self.baseline[name]:.3f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a trial showed."""

    data: str
    embedder: str
    items: int
    lines: tuple[Line, ...]


def run_trial(memory: Memory, haystacks: Sequence[Haystack], progress: Progress) -> list[Answer]:
    """Ask each haystack's questions in a scope of its own."""
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
    """Remember all items; the items that each fact stands for, since repeats are one fact."""
    drafts: list[dict[str, Any]] = [{"text": item.text, **item.details} for item in haystack.items]
    ids: dict[str, list[str]] = {}
    for item, fact in zip(haystack.items, memory.remember_many(drafts), strict=True):
        ids.setdefault(fact.id, []).append(item.id)
    memory.flush()
    return ids


def ask(memory: Memory, question: str, ids: Mapping[str, Sequence[str]]) -> list[str]:
    hits = memory.recall(question, DEEPEST)
    return [id for hit in hits for id in ids[hit.fact.id]]


def summary(answers: Sequence[Answer], metrics: Mapping[str, Metric] = METRICS) -> list[Line]:
    """The figures by category and, last, of all questions."""
    categories = dict.fromkeys(answer.question.category for answer in answers)
    lines = [
        _line(name, [each for each in answers if each.question.category == name], metrics)
        for name in sorted(categories)
    ]
    return [*(lines if len(lines) > 1 else ()), _line("all", answers, metrics)]


def _line(category: str, answers: Sequence[Answer], metrics: Mapping[str, Metric]) -> Line:
    def figures(found: Callable[[Answer], Sequence[str]]) -> dict[str, float]:
        pairs: list[tuple[Sequence[str], Collection[str]]] = [
            (found(each), each.question.relevant) for each in answers
        ]
        return averages(pairs, metrics)

    return Line(
        category=category,
        questions=len(answers),
        erstwhile=figures(lambda each: each.found),
        baseline=figures(lambda each: each.baseline),
    )
