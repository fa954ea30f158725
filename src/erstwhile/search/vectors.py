"""Nearest vectors, in memory: a copy of what the store holds, made for scanning and thrown away.

The store has the truth, each vector as one signed byte a dimension with its scale. For each scope
this keeps the bytes and, for the first look, one bit a dimension (its sign). A search counts
differing bits over all, which is a few operations on machine words, and computes the similarity of
the best few exactly. No graph has to be built or kept in step, and nothing goes stale: before each
search the scope is brought up to date from the numbers that grow with every change.
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
"""Up to so many vectors every one is compared exactly."""
_AT_ONCE = 256
"""Rows that are compared in one step: few enough to stay near the processor."""
_BLOCK = 16_384
"""The same, of rows of which only signs are compared."""
_ROOM = 64


def pack(vector: NDArray[np.float32]) -> bytes:
    """The stored form: a scale, then a signed byte per dimension."""
    largest = float(np.abs(vector).max())
    if not np.isfinite(largest) or largest == 0.0:
        raise ValueError("a vector must be finite and not zero")
    scale = np.float32(largest / 127)
    return scale.tobytes() + np.round(vector / scale).astype(np.int8).tobytes()


def unpack(stored: bytes) -> NDArray[np.float32]:
    scale = np.frombuffer(stored[:_HEADER], np.float32)
    return np.frombuffer(stored[_HEADER:], np.int8).astype(np.float32) * scale


def cosines(query: NDArray[np.float32], stored: Sequence[bytes]) -> NDArray[np.float32]:
    """The similarity of a question to each of some stored vectors."""
    if not stored:
        return np.empty(0, np.float32)
    scales, values = _parsed(stored)
    return values.astype(np.float32) @ query * scales


@dataclass(frozen=True, slots=True)
class Near:
    """Facts by their number in the store, nearest first, with their cosines."""

    seqs: NDArray[np.int64]
    cosines: NDArray[np.float32]


class ScopeVectors:
    """The vectors of one scope; grows by doubling, so that adding one costs little."""

    def __init__(self, dimensions: int) -> None:
        self._words = -(-dimensions // 64)
        self._dimensions = dimensions
        self._places: dict[int, int] = {}
        self._seqs = np.empty(_ROOM, np.int64)
        self._scales = np.empty(_ROOM, np.float32)
        self._bytes = np.empty((_ROOM, dimensions), np.int8)
        # One row per machine word: counting bits then runs through memory in order.
        self._bits = np.empty((self._words, _ROOM), np.uint64)
        self.rev = 0

    def __len__(self) -> int:
        return len(self._places)

    @property
    def memory(self) -> int:
        """Bytes held; room that is not yet used takes none."""
        return len(self) * (self._dimensions + 8 * self._words + 112)

    def update(self, rows: Iterable[tuple[int, int, bytes | None]]) -> None:
        """Take in what changed: (seq, rev, vector), an empty vector being one that is gone."""
        changed = list(rows)
        gone = [seq for seq, _, stored in changed if stored is None]
        kept = {seq: stored for seq, _, stored in changed if stored is not None}
        for seq in gone:
            self._remove(seq)
        if kept:
            self._put(kept)
        if changed:
            self.rev = max(rev for _, rev, _ in changed)

    def search(self, query: NDArray[np.float32], count: int) -> Near:
        """The `count` nearest; all of them when there are no more."""
        places = self._candidates(query, count)
        cosines = self._compared(query, places)
        if count < len(cosines):
            near = np.flatnonzero(cosines >= np.partition(cosines, -count)[-count])
            places, cosines = places[near], cosines[near]
        best = np.argsort(-cosines, kind="stable")[:count]
        return Near(self._seqs[places[best]], cosines[best])

    def cosines(self, query: NDArray[np.float32], seqs: Iterable[int]) -> dict[int, float]:
        """The exact similarity of particular facts, of those that have a vector."""
        known = [(seq, self._places[seq]) for seq in seqs if seq in self._places]
        if not known:
            return {}
        values = self._compared(query, np.array([place for _, place in known]))
        return dict(zip((seq for seq, _ in known), values.tolist(), strict=True))

    def _candidates(self, query: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        held = len(self)
        wanted = max(count * 10, held // 50)
        if held <= max(wanted, _SMALL):
            return np.arange(held)
        differing = self._differing(self._signs(query[None, :])[0])
        return np.flatnonzero(differing <= np.partition(differing, wanted - 1)[wanted - 1])

    def _differing(self, signs: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """In how many signs each vector differs."""
        counts = np.zeros(len(self), np.uint16)
        for start in range(0, len(self), _BLOCK):
            some = counts[start : start + _BLOCK]
            for word, sign in enumerate(signs):
                some += np.bitwise_count(self._bits[word, start : start + len(some)] ^ sign)
        return counts

    def _compared(
        self, query: NDArray[np.float32], places: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """The similarity of the vectors in these places, exactly."""
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
        else:  # some of them replace earlier ones
            places = np.array([self._places.setdefault(seq, len(self)) for seq in kept])
        self._make_room(len(self))
        self._seqs[places] = list(kept)
        self._scales[places], values = _parsed(list(kept.values()))
        self._bytes[places] = values
        self._bits[:, places] = self._signs(values).T

    def _remove(self, seq: int) -> None:
        """The last one moves into the gap."""
        place = self._places.pop(seq, None)
        last = len(self._places)
        if place is None or place == last:
            return
        moved = int(self._seqs[last])
        self._places[moved] = place
        self._seqs[place], self._scales[place] = moved, self._scales[last]
        self._bytes[place] = self._bytes[last]
        self._bits[:, place] = self._bits[:, last]

    def _make_room(self, needed: int) -> None:
        if needed <= len(self._seqs):
            return
        room = max(needed, len(self._seqs) * 2)
        self._seqs = _grown(self._seqs, (room,))
        self._scales = _grown(self._scales, (room,))
        self._bytes = _grown(self._bytes, (room, self._dimensions))
        self._bits = _grown(self._bits, (self._words, room))

    def _signs(self, values: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.uint64]:
        """One bit a dimension, packed into machine words."""
        packed = np.packbits(values > 0, axis=1)
        padded = np.zeros((len(values), self._words * 8), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)


def _parsed(stored: Sequence[bytes]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """The scales of stored vectors, and a table of their numbers."""
    table = np.frombuffer(b"".join(stored), np.uint8).reshape(len(stored), -1)
    return table[:, :_HEADER].copy().view(np.float32)[:, 0], table[:, _HEADER:].view(np.int8)


def _grown(array: NDArray[_Kind], shape: tuple[int, ...]) -> NDArray[_Kind]:
    """A copy with more room; what is not yet written to takes no memory."""
    grown = np.empty(shape, array.dtype)
    grown[tuple(map(slice, array.shape))] = array
    return grown
