"""The hashing embedder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erstwhile
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import InvalidInputError
from tests.contracts.recall.embedder import EmbedderContract

PINNED = [-0.6201737, 0.1240347, 0.2480695, 0.1240347, 0.2480695, 0.1240347, -0.6201737, -0.2480695]
"""As computed by the first version."""


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashingEmbedder:
        return HashingEmbedder()


@given(text=st.text(), dimensions=st.integers(1, 3))
def test_what_cancels_out_has_a_direction_still(text: str, dimensions: int) -> None:
    """With few dimensions, words of opposite sign often cancel out."""
    [row] = HashingEmbedder(dimensions).embed([text])
    assert np.linalg.norm(row) == pytest.approx(1.0)


def test_the_vector_is_the_same_on_every_machine() -> None:
    """The hash does not depend on the process or the platform."""
    [row] = HashingEmbedder(8).embed(["Ana 喜欢 pnpm"])
    assert np.allclose(row, PINNED, atol=1e-6)


def test_chinese_texts_that_share_a_word_are_near() -> None:
    rows = HashingEmbedder().embed(["我喜欢喝咖啡", "她每天喝咖啡", "火车晚点了"])
    assert rows[0] @ rows[1] > 0.3 > rows[0] @ rows[2]


def test_letter_case_and_unicode_form_make_no_difference() -> None:
    rows = HashingEmbedder().embed(["Café ＡＢＣ", "cafe\u0301 abc"])
    assert rows[0] @ rows[1] == pytest.approx(1.0)


def test_a_vector_must_have_places() -> None:
    with pytest.raises(InvalidInputError):
        HashingEmbedder(0)


def test_a_question_has_no_time_limit_on_a_busy_machine() -> None:
    """It is hashed in the thread that asks."""
    with erstwhile.open(":memory:", embedder="hashing", embedder_wait=1e-6) as memory:
        memory.remember("Ana drinks tea")
        memory.flush()
        assert memory.recall("tea").trace.notices == ()
