"""Past decisions that are like a request: all of the namespace are compared, exactly.

What a decision is not compared by, because it has no vector yet or there is no embedder, its words
are compared instead. Nothing here loads a model: how meaning is compared is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
from erstwhile.decisions.tool_input import OTHER_TOOL, alike, compared_text, words, written
from erstwhile.recall.service import SimilarityFunction
from erstwhile.storage.view import View

RECALL_FLOOR = 0.5
"""Below this a decision is about something else."""
NOT_YET = "it is not embedded yet: compared by words"


class Asked(NamedTuple):
    """What is looked for, and how meaning is compared."""

    request: DecisionRequest
    namespace: Namespace
    floor: float
    by_meaning: SimilarityFunction
    note: str = ""
    """Why meaning is not compared, where it is not."""


class Near(NamedTuple):
    """A decision that is like the request, before it is read in full."""

    similarity: float
    decided_at: int
    number: int
    found_by: FoundBy
    choice: str
    decided_by: str


def recalled(view: View, asked: Asked, k: int) -> list[DecisionHit]:
    """The `k` nearest, nearest first; of equally near ones the newer."""
    return _read(view, _near(view, asked)[:k], asked.note)


def advised(view: View, asked: Asked, k: int) -> Advice:
    """What the decisions on the same tool suggest that were judgements and still stand."""
    near = _near(view, asked, judged=True)
    told = dict.fromkeys([*near[:k], *_overruling(near)])
    hits = _read(view, sorted(told, reverse=True), asked.note)
    return advise(asked.request, hits, k)


def _near(view: View, asked: Asked, *, judged: bool = False) -> list[Near]:
    """All that are near enough. Filters are part of the search: no limit comes before them."""
    request, text = asked.request, written(asked.request.input)
    wanted = {"goal": request.goal, "tool": request.tool, "input": text}
    comparable = "judged" if judged else "any"
    rows = view.rows("decisions_to_compare", wanted, asked.namespace, comparable)
    known = asked.by_meaning(view, [-row[0] for row in rows])
    ours = frozenset(words(compared_text(request.tool, text)))
    near = []
    for number, tool, said, decided_at, same, choice, decided_by in rows:
        similarity, found_by = _compared(same, known.get(-number), ours, said, asked.floor)
        similarity *= 1.0 if tool == request.tool else OTHER_TOOL
        if similarity >= asked.floor:
            near.append(Near(similarity, decided_at, number, found_by, choice, decided_by))
    return sorted(near, reverse=True)


def _compared(
    same: int, cosine: float | None, ours: frozenset[str], said: str, floor: float
) -> tuple[float, FoundBy]:
    """How like the request a decision is, and what tells so."""
    if same:
        return 1.0, FoundBy.SAME
    if cosine is not None:
        return min(max(cosine, 0.0), 1.0), FoundBy.MEANING
    return alike(ours, words(said), floor), FoundBy.WORDS


def _overruling(near: Iterable[Near]) -> list[Near]:
    """What may decide though others are nearer: the last word on this, and on letting it pass."""
    judgements = [
        each
        for each in near
        if each.decided_by in (Decider.PERSON, Decider.RULE) and each.choice != Choice.OBSERVE
    ]
    allowing = [each for each in judgements if each.choice == Choice.ALLOW]
    personal = [each for each in allowing if each.decided_by == Decider.PERSON]
    same = [each for each in judgements if each.found_by is FoundBy.SAME]
    return [max(group, key=lambda each: each[1:3]) for group in (personal, same) if group]


def _read(view: View, near: Sequence[Near], note: str) -> list[DecisionHit]:
    return [
        DecisionHit(
            decision=to_decision(view.rows("read_decision", {"number": each.number})[0]),
            similarity=each.similarity,
            found_by=each.found_by,
            note=(note or NOT_YET) if each.found_by is FoundBy.WORDS else "",
        )
        for each in near
    ]
