"""Nearest-neighbour search in memory, over a disposable copy of the stored vectors.

The store keeps each vector as a scale and one signed byte per dimension. For each partition this
module keeps those bytes and one sign bit per dimension. A search first counts the differing sign
bits of all vectors, which is fast, and then computes the exact similarity of the best ones. There
is no graph to build or to keep in sync. Before each search the copy is updated from the revision
numbers that grow with every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Kind = TypeVar("_Kind", bound=np.generic)

_HEADER = 4
_SMALL = 1_000
"""Up to this many vectors, all are compared exactly."""
_AT_ONCE = 256
"""Rows compared in one step: few enough for the processor cache."""
_BLOCK = 16_384
"""Rows of sign bits compared in one step."""
_CAPACITY = 64
"""Rows that a new partition has space for."""


def pack(vector: NDArray[np.float32]) -> bytes:
    """Return the stored form of a vector: a scale, then a signed byte per dimension."""
    largest = float(np.abs(vector).max())
    if not np.isfinite(largest) or largest == 0.0:
        raise ValueError("a vector must be finite and not zero")
    scale = np.float32(largest / 127)
    return scale.tobytes() + np.round(vector / scale).astype(np.int8).tobytes()


def cosines(query: NDArray[np.float32], stored: Sequence[bytes]) -> NDArray[np.float32]:
    """Return the cosine similarity of a query vector to each stored vector.

    It is computed in double precision. With single precision the last digits of a cosine depend on
    the vectors beside it, and a server may return these in another order.
    """
    if not stored:
        return np.empty(0, np.float32)
    scales, values = _parsed(stored)
    return (values.astype(np.float64) @ query * scales).astype(np.float32)


@dataclass(frozen=True, slots=True)
class NearestVectors:
    """The numbers of passages, nearest first, with their cosines."""

    seqs: NDArray[np.int64]
    cosines: NDArray[np.float32]


class PartitionVectors:
    """The vectors of one partition. Its arrays double when they are full."""

    def __init__(self, dimensions: int) -> None:
        self._words = -(-dimensions // 64)
        self._dimensions = dimensions
        self._places: dict[int, int] = {}
        self._seqs = np.empty(_CAPACITY, np.int64)
        self._scales = np.empty(_CAPACITY, np.float32)
        self._bytes = np.empty((_CAPACITY, dimensions), np.int8)
        # One row per machine word: counting bits then runs through memory in order.
        self._bits = np.empty((self._words, _CAPACITY), np.uint64)
        self.rev = 0

    def __len__(self) -> int:
        return len(self._places)

    @property
    def memory(self) -> int:
        """The bytes in use; unused capacity takes no memory."""
        return len(self._places) * (self._dimensions + 8 * self._words + 112)

    def update(self, rows: Iterable[tuple[int, int, bytes | None]]) -> None:
        """Apply changes (seq, rev, vector); a vector of None removes it."""
        kept: dict[int, bytes] = {}
        for seq, rev, stored in rows:
            self.rev = max(self.rev, rev)
            if stored is None:
                self._remove(seq)
            else:
                kept[seq] = stored
        if kept:
            self._put(kept)

    def search(self, query: NDArray[np.float32], count: int) -> NearestVectors:
        """Return the `count` nearest vectors, or all if there are fewer."""
        places = self._candidates(query, count)
        cosines = self._exact_cosines(query, places)
        if count < len(cosines):
            near = np.flatnonzero(cosines >= np.partition(cosines, -count)[-count])
            places, cosines = places[near], cosines[near]
        best = np.argsort(-cosines, kind="stable")[:count]
        return NearestVectors(self._seqs[places[best]], cosines[best])

    def cosines(self, query: NDArray[np.float32], seqs: Iterable[int]) -> dict[int, float]:
        """Return the exact cosines of these passages, without those that have no vector."""
        known = [(seq, self._places[seq]) for seq in seqs if seq in self._places]
        if not known:
            return {}
        values = self._exact_cosines(query, np.array([place for _, place in known]))
        return dict(zip((seq for seq, _ in known), values.tolist(), strict=True))

    def _candidates(self, query: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        held = len(self)
        checked = max(count * 10, held // 50)
        if held <= max(checked, _SMALL):
            return np.arange(held)
        differing = self._differing(self._signs(query[None, :])[0])
        return np.flatnonzero(differing <= np.partition(differing, checked - 1)[checked - 1])

    def _differing(self, signs: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Count the differing sign bits of each vector."""
        counts = np.zeros(len(self), np.uint16)
        for start in range(0, len(self), _BLOCK):
            some = counts[start : start + _BLOCK]
            for word, sign in enumerate(signs):
                some += np.bitwise_count(self._bits[word, start : start + len(some)] ^ sign)
        return counts

    def _exact_cosines(
        self, query: NDArray[np.float32], places: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        values = np.empty(len(places), np.float32)
        for start in range(0, len(places), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            values[some] = self._bytes.take(places[some], axis=0).astype(np.float32) @ query
        return values * self._scales[places]

    def _put(self, kept: dict[int, bytes]) -> None:
        start, end = len(self), len(self) + len(kept)
        places: slice | NDArray[np.intp] = slice(start, end)
        if self._places.keys().isdisjoint(kept):
            self._places |= zip(kept, range(start, end), strict=True)
        else:  # some of them replace stored vectors
            places = np.array([self._places.setdefault(seq, len(self)) for seq in kept])
        if len(self) > len(self._seqs):
            capacity = max(len(self), len(self._seqs) * 2)
            self._seqs = _grown(self._seqs, (capacity,))
            self._scales = _grown(self._scales, (capacity,))
            self._bytes = _grown(self._bytes, (capacity, self._dimensions))
            self._bits = _grown(self._bits, (self._words, capacity))
        self._seqs[places] = list(kept)
        self._scales[places], values = _parsed(list(kept.values()))
        self._bytes[places] = values
        self._bits[:, places] = self._signs(values).T

    def _remove(self, seq: int) -> None:
        """Remove a vector; the last one moves into its place."""
        place = self._places.pop(seq, None)
        last = len(self._places)
        if place is None or place == last:
            return
        moved = int(self._seqs[last])
        self._places[moved] = place
        self._seqs[place], self._scales[place] = moved, self._scales[last]
        self._bytes[place] = self._bytes[last]
        self._bits[:, place] = self._bits[:, last]

    def _signs(self, values: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.uint64]:
        """Return the sign bits of each row, packed into 64-bit words."""
        packed = np.packbits(values > 0, axis=1)
        padded = np.zeros((len(values), self._words * 8), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)


def _parsed(stored: Sequence[bytes]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return the scales of stored vectors, and their bytes as a table."""
    table = np.frombuffer(b"".join(stored), np.uint8).reshape(len(stored), -1)
    return table[:, :_HEADER].copy().view(np.float32)[:, 0], table[:, _HEADER:].view(np.int8)


def _grown(array: NDArray[_Kind], shape: tuple[int, ...]) -> NDArray[_Kind]:
    grown = np.empty(shape, array.dtype)
    grown[tuple(map(slice, array.shape))] = array
    return grown
