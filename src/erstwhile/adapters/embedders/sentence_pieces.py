"""The pieces of a text in a SentencePiece vocabulary, with the marks of beginning and end."""

from __future__ import annotations

from itertools import chain

from erstwhile.adapters.embedders.packaged import imported

_UNKNOWN, _BEGINNING, _END = 0, 1, 2
_RELEASE = "sentencepiece>=0.2.1"


class SentencePieces:
    """Turns text into the numbers of its pieces. Threads may share it."""

    def __init__(self, model: bytes) -> None:
        library = imported("sentencepiece", _RELEASE)
        self._pieces = library.SentencePieceProcessor(model_proto=model)

    def __call__(self, text: str) -> list[int]:
        ids: list[int] = self._pieces.encode(text)
        if not ids:
            ids = [_UNKNOWN]
        elif _UNKNOWN in ids:
            ids = self._with_each_unknown(text, ids)
        return [_BEGINNING, *ids, _END]

    def _with_each_unknown(self, text: str, ids: list[int]) -> list[int]:
        """Count every unknown character, where the library joins a run of them into one piece.

        The encoder of the package, whose vectors these are, counts each.
        """
        pieces: list[str] = self._pieces.encode(text, out_type=str)
        counts = (1 if id else len(piece) for id, piece in zip(ids, pieces, strict=True))
        return list(chain.from_iterable([id] * n for id, n in zip(ids, counts, strict=True)))
