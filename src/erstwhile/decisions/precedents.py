"""Precedents: past decisions that are similar to a request.

All decisions of the namespace are compared. A decision without a vector is compared by its
words. This module loads no model: the caller passes the function that compares meanings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from erstwhile.core.hits import Hits
from erstwhile.decisions.advice import advise
from erstwhile.decisions.decision import (
    Advice,
    Choice,
    Decider,
    DecisionHit,
    DecisionRequest,
    FoundBy,
    Namespace,
)
from erstwhile.decisions.rows import to_decision
from erstwhile.decisions.tool_input import (
    OTHER_TOOL,
    compared_text,
    split_words,
    to_json,
    word_similarity,
)
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.service import SimilarityFunction

RECALL_FLOOR = 0.5
"""The lowest score of a precedent. A decision with a lower score is about something else."""
NOT_EMBEDDED = "it is not embedded yet: compared by words"


class PrecedentQuery(NamedTuple):
    """A request, the decisions to compare it with, and how to compare meanings."""

    request: DecisionRequest
    namespace: Namespace
    floor: float
    by_meaning: SimilarityFunction
    note: str = ""
    """The reason if meanings are not compared."""


class Precedent(NamedTuple):
    """A decision that is similar to the request, before it is read in full."""

    score: float
    decided_at: int
    number: int
    found_by: FoundBy
    choice: str
    decided_by: str


def recall_precedents(view: View, query: PrecedentQuery, limit: int) -> Hits[DecisionHit]:
    """Return the most similar decisions, best first; with equal scores, the newer first."""
    return Hits(tuple(_read(view, _precedents(view, query)[:limit], query.note)))


def advise_by_precedents(view: View, query: PrecedentQuery, limit: int) -> Advice:
    """Return the advice of past judgements about the same tool."""
    found = _precedents(view, query, judged=True)
    chosen = dict.fromkeys([*found[:limit], *_overruling(found)])
    hits = _read(view, sorted(chosen, reverse=True), query.note)
    return advise(query.request, hits, limit)


def _precedents(view: View, query: PrecedentQuery, *, judged: bool = False) -> list[Precedent]:
    """Return all decisions that reach the floor, best first."""
    request, input_text = query.request, to_json(query.request.input)
    params = {"goal": request.goal, "tool": request.tool, "input": input_text}
    comparable = "judged" if judged else "any"
    rows = view.rows("decisions_to_compare", params, query.namespace, comparable)
    cosines = query.by_meaning(view, [-row[0] for row in rows])
    words = frozenset(split_words(compared_text(request.tool, input_text)))
    found = []
    for number, tool, text, decided_at, same, choice, decided_by in rows:
        score, found_by = _compare(same, cosines.get(-number), words, text, query.floor)
        score *= 1.0 if tool == request.tool else OTHER_TOOL
        if score >= query.floor:
            found.append(Precedent(score, decided_at, number, found_by, choice, decided_by))
    return sorted(found, reverse=True)


def _compare(
    same: int, cosine: float | None, words: frozenset[str], text: str, floor: float
) -> tuple[float, FoundBy]:
    """Return the similarity of a decision to the request, and how it was found."""
    if same:
        return 1.0, FoundBy.SAME
    if cosine is not None:
        return min(max(cosine, 0.0), 1.0), FoundBy.MEANING
    return word_similarity(words, split_words(text), floor), FoundBy.WORDS


def _overruling(found: Iterable[Precedent]) -> list[Precedent]:
    """Return the precedents that can decide even if others are more similar.

    These are the newest allowance by a person, and the newest judgement of the same input.
    """
    judgements = [
        each
        for each in found
        if each.decided_by in (Decider.PERSON, Decider.RULE) and each.choice != Choice.OBSERVE
    ]
    allowing = [each for each in judgements if each.choice == Choice.ALLOW]
    personal = [each for each in allowing if each.decided_by == Decider.PERSON]
    same = [each for each in judgements if each.found_by is FoundBy.SAME]
    return [max(group, key=lambda each: each[1:3]) for group in (personal, same) if group]


def _read(view: View, found: Sequence[Precedent], note: str) -> list[DecisionHit]:
    return [
        DecisionHit(
            decision=to_decision(view.rows("read_decision", {"number": each.number})[0]),
            score=each.score,
            found_by=each.found_by,
            note=(note or NOT_EMBEDDED) if each.found_by is FoundBy.WORDS else "",
        )
        for each in found
    ]
