"""The pieces of a text in a SentencePiece vocabulary, with the marks of beginning and end."""

from __future__ import annotations

from itertools import chain
from typing import Any

from erstwhile.adapters.embedders.packaged import LazyValue, imported
from erstwhile.adapters.embedders.piece_index import PieceIndex

_UNKNOWN, _BEGINNING, _END = 0, 1, 2
_RELEASE = "sentencepiece>=0.2.1"
_FIRST_TEXTS, _SHORT = 3, 400
"""So many short texts are divided with a small model each: most commands have no more."""


class SentencePieces:
    """Turns text into the numbers of its pieces. Threads may share it."""

    def __init__(self, model: bytes, index: PieceIndex | None = None) -> None:
        self._library = imported("sentencepiece", _RELEASE)
        self._index = index
        self._divided = 0
        self._whole = LazyValue(lambda: self._loaded(model))

    def __call__(self, text: str) -> list[int]:
        self._divided += 1
        if self._index and self._divided <= _FIRST_TEXTS and len(text) <= _SHORT:
            pieces, numbers = self._small(self._index, text)
            ids = [numbers[id] for id in pieces.encode(text)]
        else:
            pieces = self._whole()
            ids = pieces.encode(text)
        if not ids:
            ids = [_UNKNOWN]
        elif _UNKNOWN in ids:
            ids = _with_each_unknown(ids, pieces.encode(text, out_type=str))
        return [_BEGINNING, *ids, _END]

    def _small(self, index: PieceIndex, text: str) -> tuple[Any, list[int]]:
        """Return a model with the pieces of one text, and their numbers in the whole model."""
        model, _ = index.small_model()
        model, numbers = index.small_model(self._loaded(model).normalize(text))
        return self._loaded(model), numbers

    def _loaded(self, model: bytes) -> Any:
        return self._library.SentencePieceProcessor(model_proto=model)


def _with_each_unknown(ids: list[int], pieces: list[str]) -> list[int]:
    """Count every unknown character, where the library joins a run of them into one piece.

    The encoder of the package, whose vectors these are, counts each.
    """
    counts = (1 if id else len(piece) for id, piece in zip(ids, pieces, strict=True))
    return list(chain.from_iterable([id] * n for id, n in zip(ids, counts, strict=True)))
