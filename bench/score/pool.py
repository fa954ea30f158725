"""The questions and texts of a public set under ids that rankings can name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.evaluation.haystack import Haystack, Item, Question, QuestionSet

ONE, EACH = "one", "each"
STORES = (ONE, EACH)
LEVELS = ("turn", "session")
_SHARED = "LongMemEval"
"""The set whose questions share sessions, under the same ids."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its id, and the ids of its evidence by level."""

    id: str
    question: Question
    evidence: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Pool:
    """The stores of a set: one for all questions, or the one of each conversation or question."""

    haystacks: Sequence[Haystack]
    """Their items have ids of the whole set; the questions are in the order of `asked`."""
    asked: Sequence[Sequence[Asked]]
    sessions: Mapping[str, str]
    """The session of each item."""
    texts: Mapping[str, str]

    def ranked(self, ids: Sequence[str], level: str) -> list[str]:
        """Return a ranking at a level; a session takes the place of its first turn."""
        if level == "turn":
            return list(dict.fromkeys(ids))
        return list(dict.fromkeys(self.sessions.get(id, id) for id in ids))

    def questions(self) -> Iterator[tuple[Haystack, Asked]]:
        for haystack, asked in zip(self.haystacks, self.asked, strict=True):
            for each in asked:
                yield haystack, each


def pooled(questions: QuestionSet, store: str) -> Pool:
    """Name everything; with the store `one`, each question is asked among the texts of all."""
    named = [
        haystack if questions.name == _SHARED else _named(haystack)
        for haystack in questions.haystacks
    ]
    items = {item.id: item for haystack in named for item in haystack.items}
    asked = [
        [
            _asked(id, each, items)
            for id, each in zip(_ids(haystack, questions.name), haystack.questions, strict=True)
        ]
        for haystack in named
    ]
    if store == ONE:
        everything = [each for haystack in named for each in haystack.questions]
        named = [Haystack(name="all", items=list(items.values()), questions=everything)]
        asked = [[each for one in asked for each in one]]
    return Pool(
        named,
        asked,
        {id: item.session for id, item in items.items()},
        {id: item.text for id, item in items.items()},
    )


def _ids(haystack: Haystack, set: str) -> list[str]:
    """Return the ids of questions: LongMemEval has them, others are counted."""
    if set == _SHARED:
        return [haystack.name]
    return [f"{haystack.name}/{number}" for number in range(len(haystack.questions))]


def _named(haystack: Haystack) -> Haystack:
    """Put the name of the conversation before the ids, which others have, too."""

    def own(id: str) -> str:
        return f"{haystack.name}/{id}"

    def item(each: Item) -> Item:
        return replace(each, id=own(each.id), session=own(each.session))

    def question(each: Question) -> Question:
        return replace(each, relevant={own(id) for id in each.relevant})

    return replace(
        haystack,
        items=list(map(item, haystack.items)),
        questions=list(map(question, haystack.questions)),
    )


def _asked(id: str, question: Question, items: Mapping[str, Item]) -> Asked:
    relevant = frozenset(question.relevant)
    if question.by_session:
        return Asked(id, question, {"session": relevant})
    sessions = frozenset(items[each].session for each in relevant)
    return Asked(id, question, {"turn": relevant, "session": sessions})
