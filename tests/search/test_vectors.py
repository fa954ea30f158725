"""Vectors in memory are packed, updated, and searched like an exact scan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from erstwhile.search.vectors import PartitionVectors, cosines, pack
from tests.search import exact
from tests.search.exact import unpack

DIMENSIONS = 96
changes = st.lists(
    st.tuples(st.integers(1, 40), st.none() | st.integers(0, 1_000)), min_size=1, max_size=80
)


def vector(seed: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal(dimensions)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


@given(st.integers(0, 10_000), st.integers(1, 700))
def test_packing_keeps_the_direction(seed: int, dimensions: int) -> None:
    original = vector(seed, dimensions)
    kept = unpack(pack(original))
    assert kept.shape == original.shape
    assert np.abs(kept - original).max() <= np.abs(original).max() / 127
    assert float(kept @ original) / float(np.linalg.norm(kept)) > 0.999


def test_a_cosine_does_not_depend_on_the_vectors_beside_it() -> None:
    query, stored = vector(0), [pack(vector(seed)) for seed in range(1, 41)]
    drawn = np.random.default_rng(0)
    known = dict(zip(stored, cosines(query, stored).tolist(), strict=True))
    for _ in range(50):
        some = [stored[place] for place in drawn.permutation(40)[: drawn.integers(1, 41)]]
        assert cosines(query, some).tolist() == [known[each] for each in some]


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf, -np.inf])
def test_what_has_no_direction_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite and not zero"):
        pack(np.full(8, value, np.float32))


@given(changes, st.integers(1, 50), st.integers(0, 99), st.integers(1, 5))
def test_after_any_changes_it_finds_what_the_exact_scan_finds(
    changes: list[tuple[int, int | None]], count: int, seed: int, at_once: int
) -> None:
    """Equal numbers and cosines after vectors were added, replaced and removed."""
    held, truth = PartitionVectors(DIMENSIONS), dict[int, bytes]()
    batch: dict[int, tuple[int, int, bytes | None]] = {}
    for rev, (seq, drawn) in enumerate(changes, 1):
        stored = None if drawn is None else pack(vector(drawn))
        truth.pop(seq, None)
        if stored is not None:
            truth[seq] = stored
        batch[seq] = (seq, rev, stored)
        if rev % at_once == 0 or rev == len(changes):
            held.update(sorted(batch.values(), key=lambda row: row[1]))
            batch.clear()
    assert (len(held), held.rev) == (len(truth), len(changes))
    question = vector(seed + 5_000)
    near = held.search(question, count)
    wanted = exact.nearest(question, truth, count)
    assert near.cosines.tolist() == pytest.approx([cosine for _, cosine in wanted], abs=1e-5)
    known = held.cosines(question, range(1, 41))
    assert known == pytest.approx(
        {seq: exact.cosine(question, stored) for seq, stored in truth.items()}, abs=1e-5
    )
    assert set(near.seqs.tolist()) <= truth.keys()


def test_among_many_the_first_look_misses_next_to_nothing() -> None:
    """The sign bits find .99 of the ten nearest of an exact scan."""
    random = np.random.default_rng(7)
    topics = random.standard_normal((200, 256))
    rows = topics[random.integers(0, 200, 20_000)] + 0.9 * random.standard_normal((20_000, 256))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    held = PartitionVectors(256)
    held.update((seq, seq, pack(row)) for seq, row in enumerate(rows, 1))
    stored = np.stack([unpack(pack(row)) for row in rows])
    shared = 0
    for _ in range(50):
        asked = topics[random.integers(0, 200)] + 0.9 * random.standard_normal(256)
        question = (asked / np.linalg.norm(asked)).astype(np.float32)
        wanted = set((np.argsort(-(stored @ question))[:10] + 1).tolist())
        shared += len(wanted & set(held.search(question, 10).seqs.tolist()))
    assert shared >= 0.99 * 500


@pytest.mark.parametrize("held", [0, 6_000])
def test_any_number_can_be_asked_for(held: int) -> None:
    vectors = PartitionVectors(8)
    vectors.update((seq, seq, pack(vector(seq, 8))) for seq in range(1, held + 1))
    for count in (1, 4_096, 4_097, 6_000, 10_000):
        assert len(vectors.search(vector(0, 8), count).seqs) == min(count, held)
    assert len(vectors.cosines(vector(1, 8), [1, 2])) == min(held, 2)
