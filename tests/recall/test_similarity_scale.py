"""The similarity scale of a model."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

import erstwhile
from erstwhile.adapters.embedders.minilm import MiniLmEmbedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.ports import Embedder
from erstwhile.recall.models import DEFAULT_SCALE, SimilarityScale, measure_scale
from tests.doubles import TROUBLES, UnreliableEmbedder


class HighEmbedder:
    """The bundled model with compressed cosines: unrelated texts have .7 or more."""

    model = "high/test"

    def __init__(self) -> None:
        self._inner = UniversalEmbedder()
        self.dimensions = self._inner.dimensions + 1

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        rows = self._inner.embed(texts, query=query) * np.float32(0.28**0.5)
        common = np.full((len(rows), 1), 0.72**0.5, np.float32)
        return np.hstack([rows, common])


def scale_of(embedder: Embedder) -> SimilarityScale:
    return measure_scale(embedder, embedder.dimensions)


class RandomEmbedder:
    """A model that understands nothing: each text has another random vector."""

    model, dimensions = "random/test", 256

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        seeds = [crc32(text.encode()) for text in texts]
        rows = [np.random.default_rng(seed).normal(size=self.dimensions) for seed in seeds]
        return np.stack(rows).astype(np.float32)


def test_the_default_model_has_the_default_scale() -> None:
    """The numbers of relevance depend on these values. A changed model shows here."""
    scale = scale_of(UniversalEmbedder())
    assert scale.usual == pytest.approx(DEFAULT_SCALE.usual, abs=0.02)
    assert scale.spread == pytest.approx(DEFAULT_SCALE.spread, abs=0.02)


def test_a_model_that_tells_more_apart_needs_higher_cosines() -> None:
    """MiniLM puts matches farther from unrelated texts, so a cosine halfway tells nothing."""
    usual, sharp = scale_of(UniversalEmbedder()), scale_of(MiniLmEmbedder())
    assert sharp.deviations(0.2) < usual.deviations(0.2)
    assert sharp.deviations(0.6) > usual.deviations(0.6)


def test_random_vectors_tell_nothing() -> None:
    """Words decide, and a question without an answer finds nothing."""
    with erstwhile.open(":memory:", embedder=RandomEmbedder()) as memory:
        memory.remember_many(["Ana is allergic to peanuts", "The office is in Lisbon"])
        memory.flush()
        hits = memory.recall("Is Ana allergic to peanuts?")
        assert hits[0].fact.text == "Ana is allergic to peanuts"
        assert len(memory.recall("quarterly turbine maintenance")) == 0


def test_a_similarity_counts_by_what_is_usual() -> None:
    """For a model with high and narrow cosines the floor is in the same place."""
    plain, high = scale_of(UniversalEmbedder()), scale_of(HighEmbedder())
    assert high.usual > 0.7
    for cosine in (0.0, 0.1, 0.3, 0.9):
        squeezed = 0.72 + 0.28 * cosine
        assert high.deviations(squeezed) == pytest.approx(plain.deviations(cosine), abs=1e-2)


@pytest.mark.parametrize("trouble", ["not a number", "zero"])
def test_a_model_that_cannot_tell_has_the_usual_scale(trouble: str) -> None:
    assert scale_of(UnreliableEmbedder(TROUBLES[trouble])) == DEFAULT_SCALE
    assert scale_of(UnreliableEmbedder(lambda _, vectors: np.ones_like(vectors))) == DEFAULT_SCALE


def test_high_similarities_bring_no_junk() -> None:
    """Only facts that answer are found, and none for a question without an answer."""
    with erstwhile.open(":memory:", embedder=HighEmbedder()) as memory:
        memory.remember_many(["Ana is allergic to peanuts", "The office is in Lisbon"])
        memory.flush()
        [hit] = memory.recall("which food must she avoid?")
        assert hit.fact.text == "Ana is allergic to peanuts"
        assert hit.why.cosine is not None
        assert hit.why.cosine > 0.7
        assert not hit.is_weak
        assert len(memory.recall("quarterly turbine maintenance")) == 0
