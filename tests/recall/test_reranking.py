"""A reranker orders the best hits; one that fails or hangs changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.core.errors import EmbedderError
from erstwhile.core.settings import Settings
from erstwhile.recall.reranking import RERANKED

TEXTS = ("Tea is cheap", "Tea is green", "Tea is a plant")


class Scripted:
    """Scores texts by a function of their words."""

    model = "scripted"

    def __init__(self, rerank: Callable[[Sequence[str]], Sequence[float]]) -> None:
        self._rerank = rerank
        self.asked: list[Sequence[str]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append(texts)
        return self._rerank(texts) if query else []


def about_plants(texts: Sequence[str]) -> Sequence[float]:
    return [0.9 if "plant" in text else 0.2 for text in texts]


def opened(reranker: Scripted, wait: float = 5.0) -> Memory:
    settings = Settings(embedder="none")
    memory = erstwhile.open(":memory:", settings=settings, reranker=reranker, embedder_wait=wait)
    memory.remember_many(TEXTS)
    return memory


def test_the_reranker_orders_the_hits_and_gives_their_relevance() -> None:
    with opened(Scripted(about_plants)) as memory:
        best, *others = memory.recall("tea")
        assert best.fact.text == "Tea is a plant"
        assert best.why.reranked == 0.9
        assert "reranked 0.90" in str(best.why)
        assert [hit.why.reranked for hit in others] == [0.2, 0.2]


def test_more_is_reranked_than_is_wanted() -> None:
    reranker = Scripted(lambda texts: [place / RERANKED for place in range(len(texts))])
    with opened(reranker) as memory:
        memory.remember_many(f"Tea number {number}" for number in range(2 * RERANKED))
        [hit] = memory.recall("tea", 1)
        [texts] = reranker.asked
        assert len(texts) == RERANKED
        assert hit.fact.text == texts[-1]


def test_a_key_belongs_to_the_text_that_is_read() -> None:
    reranker = Scripted(about_plants)
    with opened(reranker) as memory:
        memory.facts.set("user.drink", "coffee")
        memory.recall("drink")
        assert reranker.asked == [["user.drink: coffee"]]


def broken(_texts: Sequence[str]) -> Sequence[float]:
    raise EmbedderError("https://example.com/rerank answered 500")


def failing(_texts: Sequence[str]) -> Sequence[float]:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("rerank", "notice"),
    [
        (broken, "https://example.com/rerank answered 500: not reranked"),
        (failing, "ZeroDivisionError: not reranked"),
        (lambda texts: [0.5] * (len(texts) - 1), "one number per text: not reranked"),
        (lambda texts: [float("nan")] * len(texts), "one number per text: not reranked"),
    ],
)
def test_after_a_failure_the_order_of_the_search_stays(
    rerank: Callable[[Sequence[str]], Sequence[float]], notice: str
) -> None:
    """The notice says so, and the next query does not ask the model again."""
    reranker = Scripted(rerank)
    with opened(reranker) as memory:
        for _ in range(2):
            hits = memory.recall("tea plant", 2)
            assert hits[0].fact.text == "Tea is a plant"
            assert len(hits) == 2
            assert hits.trace.notices[-1].endswith(notice)
            assert all(hit.why.reranked is None for hit in hits)
        assert len(reranker.asked) == 1


def test_a_query_does_not_wait_for_a_reranker_that_hangs() -> None:
    released = Event()
    hanging = Scripted(lambda texts: [float(released.wait(60))] * len(texts))
    with opened(hanging, wait=0.05) as memory:
        try:
            hits = memory.recall("tea")
            assert len(hits) == 3
            assert "scripted did not answer within 0.05 seconds" in hits.trace.notices[-1]
        finally:
            released.set()


def test_contexts_and_message_search_are_reranked() -> None:
    reranker = Scripted(about_plants)
    with opened(reranker) as memory:
        memory.conversations.add("user", "Tea is a plant from China")
        [hit] = memory.conversations.search("tea")
        assert hit.why.reranked == 0.9
        memory.context("tea")
        assert len(reranker.asked) == 2
