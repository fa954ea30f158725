"""Run a trial: store all items, ask all questions, and keep what search and contexts found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from erstwhile.core.ports import Embedder
from erstwhile.evaluation.baseline import rank_by_meaning, rank_by_words
from erstwhile.evaluation.evidence import has_wish, quoted_items
from erstwhile.evaluation.haystack import Haystack, Item, Question, QuestionSet, Way
from erstwhile.evaluation.metrics import LIMITS
from erstwhile.evaluation.progress import Tell
from erstwhile.evaluation.storing import Stored, embed, store
from erstwhile.memory import Memory

Ranking: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one context has of the evidence."""

    evidence: float
    """The share of the evidence that is quoted."""
    tokens: int
    """The tokens that it has."""
    wish: bool
    """Whether it states the wish of the question; False if the question has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found for a question."""

    question: Question
    found: Mapping[int, Ranking] = field(hash=False)
    """Ids, best first, by the number of hits that was asked for."""
    baseline: Ranking
    shown: Mapping[int, Shown] = field(default_factory=dict, hash=False)
    """The contexts by their budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How the questions of a set are asked, each haystack in the scope of its own user."""

    way: Way
    budgets: Sequence[int] = ()
    """The tokens of the contexts that are made for each question."""
    flush: bool = True
    """Whether everything gets its vector before the first question."""
    alone: Embedder | None = None
    """The embedder that is the baseline; without one it is full text."""
    tell: Tell = lambda _: None

    def run(self, memory: Memory, questions: QuestionSet) -> list[Answer]:
        """Store and ask one haystack after the other."""
        memory.recall("Is the model loaded?")
        answers: list[Answer] = []
        total = sum(len(haystack.questions) for haystack in questions.haystacks)
        for haystack in questions.haystacks:
            for answer in self._asked(memory.scoped(user=haystack.name), haystack):
                answers.append(answer)
                self.tell(f"Asking {len(answers):,} of {total:,}: {haystack.name}")
        return answers

    def _asked(self, memory: Memory, haystack: Haystack) -> Iterable[Answer]:
        baselines = self._baseline(haystack)
        self.tell(f"Storing {haystack.name}: {len(haystack.items):,} texts…")
        stored = store(memory, haystack, self.way)
        if self.flush:
            embed(memory, haystack.name, self.tell)
        for question, baseline in zip(haystack.questions, baselines, strict=True):
            yield self._answer(stored, question, baseline)

    def _answer(self, stored: Stored, question: Question, baseline: Ranking) -> Answer:
        return Answer(
            question=question,
            found={limit: stored.search(question, limit) for limit in LIMITS},
            baseline=baseline,
            shown={tokens: _shown(stored, question, tokens) for tokens in self.budgets},
        )

    def _baseline(self, haystack: Haystack) -> list[Ranking]:
        sessions = {item.id: item.session for item in haystack.items}
        ranked = (
            rank_by_words(haystack, max(LIMITS))
            if self.alone is None
            else rank_by_meaning(haystack, max(LIMITS), self.alone)
        )
        return [
            list(dict.fromkeys(map(sessions.__getitem__, ids))) if question.by_session else ids
            for question, ids in zip(haystack.questions, ranked, strict=True)
        ]


def _shown(stored: Stored, question: Question, tokens: int) -> Shown:
    context = stored.memory.context(question.text, tokens)
    quoted = stored.relevant_ids(quoted_items(context, stored.items), question)
    relevant = set(question.relevant)
    return Shown(
        evidence=len(relevant.intersection(quoted)) / len(relevant),
        tokens=context.report.tokens,
        wish=bool(question.wish)
        and has_wish(context, question.wish, _evidence(stored, question), stored.items),
    )


def _evidence(stored: Stored, question: Question) -> list[Item]:
    relevant = set(question.relevant)
    return [item for items in stored.items.values() for item in items if item.id in relevant]
