"""How many records are asked for changes neither how relevant they are, nor what explains them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import erstwhile

LIKES = (
    "tea",
    "chess",
    "jazz",
    "rye bread",
    "the sea",
    "old maps",
    "cats",
    "rain",
    "soup",
    "opera",
)
OTHERS = (
    "Deploys happen on Fridays",
    "The logo is dark green",
    "Logs are kept for a month",
    "Heron is the staging server",
    "Invoices are sent in March",
    "The lift is out of order",
)
QUESTIONS = ("which music is on?", "what animals are there?", "who plays music?")


@pytest.fixture(scope="module")
def memory() -> Iterator[erstwhile.Memory]:
    with erstwhile.open(":memory:", embedder="universal") as memory:
        memory.remember_many(f"Ana likes {each}" for each in LIKES)
        memory.remember_many(f"{each}, says team {team}" for each in OTHERS for team in range(9))
        memory.flush()
        yield memory


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_larger_limit_changes_no_relevance(memory: erstwhile.Memory, question: str) -> None:
    few = [(hit.fact.id, hit.relevance) for hit in memory.recall(question, 3, floor=0)]
    many = [(hit.fact.id, hit.relevance) for hit in memory.recall(question, 1_000, floor=0)]
    assert many[: len(few)] == few


@pytest.mark.parametrize("question", QUESTIONS)
def test_why_not_agrees_with_recall(memory: erstwhile.Memory, question: str) -> None:
    ranks = {hit.fact.id: at for at, hit in enumerate(memory.recall(question), start=1)}
    for fact in memory.facts.list(limit=100):
        told = memory.why_not(question, fact.id)
        returned = told.rank if told.reason == "returned" else None
        assert ranks.get(fact.id) == returned, fact.text


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_larger_budget_lets_in_no_fact_without_a_match(
    memory: erstwhile.Memory, question: str
) -> None:
    known = memory.recall(question, 1_000, floor=0)
    unmatched = {hit.fact.id for hit in known if not hit.why.score}
    assert unmatched
    for tokens in (500, 4_000, 100_000):
        items = memory.context(question, tokens).items
        assert items
        assert unmatched.isdisjoint(item.id for item in items)
    assert {memory.why_not(question, id).reason for id in unmatched} == {"no_match"}
