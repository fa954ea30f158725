"""The cache of questions."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import CachedEmbedder
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import EmbedderError
from tests.contracts.recall.embedder import EmbedderContract


class Counting(HashingEmbedder):
    """An embedder that records its calls and fails on demand."""

    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[str] = []
        self.down = False

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if self.down:
            raise EmbedderError("down")
        self.asked += texts
        return super().embed(texts, query=query)


class TestCachedEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> CachedEmbedder:
        return CachedEmbedder(HashingEmbedder(), size=2)


@pytest.fixture
def counting() -> Counting:
    return Counting()


def test_a_question_asked_again_is_not_embedded_again(counting: Counting) -> None:
    cached = CachedEmbedder(counting)
    first = cached.embed(["who?", "what?", "who?"], query=True)
    again = cached.embed(["what?", "who?"], query=True)
    assert counting.asked == ["who?", "what?"]
    assert np.array_equal(first[[1, 0]], again)
    assert np.array_equal(first[0], first[2])


def test_the_question_asked_longest_ago_makes_room(counting: Counting) -> None:
    cached = CachedEmbedder(counting, size=2)
    for question in ("one", "two", "one", "three", "one", "two"):
        cached.embed([question], query=True)
    assert counting.asked == ["one", "two", "three", "two"]


def test_more_questions_at_once_than_fit_are_all_answered(counting: Counting) -> None:
    questions = [f"question {number}" for number in range(9)]
    rows = CachedEmbedder(counting, size=2).embed(questions, query=True)
    assert np.array_equal(rows, HashingEmbedder(64).embed(questions))


def test_texts_to_be_stored_are_not_kept(counting: Counting) -> None:
    cached = CachedEmbedder(counting)
    cached.embed(["a fact"])
    cached.embed(["a fact"])
    cached.embed(["a fact"], query=True)
    assert counting.asked == ["a fact"] * 3


def test_a_failure_is_not_kept(counting: Counting) -> None:
    cached = CachedEmbedder(counting)
    counting.down = True
    with pytest.raises(EmbedderError):
        cached.embed(["who?"], query=True)
    counting.down = False
    assert cached.embed(["who?"], query=True).shape == (1, 64)


def test_it_keeps_no_text(counting: Counting) -> None:
    cached = CachedEmbedder(counting)
    cached.embed(["a secret question"], query=True)
    assert b"secret" not in b"".join(cached._vectors)


def test_a_kept_vector_does_not_hold_on_to_the_others(counting: Counting) -> None:
    cached = CachedEmbedder(counting, size=1)
    cached.embed(["one", "two", "three"], query=True)
    assert [row.base for row in cached._vectors.values()] == [None]


def test_it_has_the_name_and_dimensions_of_what_it_wraps(counting: Counting) -> None:
    cached = CachedEmbedder(counting)
    assert (cached.model, cached.dimensions) == (counting.model, counting.dimensions)


class Waiting(HashingEmbedder):
    """Finishes a batch only after a question was answered."""

    def __init__(self) -> None:
        super().__init__(64)
        self.under_way, self.answered = Event(), Event()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not query:
            self.under_way.set()
            assert self.answered.wait(60)
        return super().embed(texts, query=query)


def test_a_question_does_not_wait_for_a_batch() -> None:
    waiting = Waiting()
    cached = CachedEmbedder(waiting)
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(cached.embed, ["tea", "coffee"])
        assert waiting.under_way.wait(60)
        assert cached.embed(["what do I drink?"], query=True).shape == (1, 64)
        waiting.answered.set()
        assert batch.result(60).shape == (2, 64)
