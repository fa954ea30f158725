"""The pieces of a SentencePiece model that occur in a text, found without loading the model.

To load a vocabulary of 128,000 pieces takes longer than everything else at the start. A model with
only the pieces that occur in a text divides this text in the same way, and is loaded at once. The
index that finds them is kept in the user's cache folder, as the weights are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from struct import unpack_from
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.unpacked_weights import write_checked

_ENTRY = np.dtype([("hash", "<u8"), ("start", "<u4"), ("number", "<u4"), ("always", "<u4")])
"""Where the piece with a hash begins in the model, and whether every small model needs it."""
_HEADER, _SCORE = 4, b"\x15"
"""A piece stands after two tags and two lengths, which are below 128, and before its score."""
_LONGEST = 32
"""More characters than any piece has."""


class PieceIndex:
    """Finds the pieces of one model."""

    def __init__(self, model: bytes, file: Path) -> None:
        self._model = model
        entries = _read(file)
        if entries is None:
            entries = _made(model)
            with suppress(OSError):
                write_checked(file, entries)
        self._entries = entries
        self._always = entries[entries["always"] == 1]
        self._end = _end(model, int(entries["start"].max()))

    def small_model(self, normal: str = "") -> tuple[bytes, list[int]]:
        """Return a model with the pieces in a normalised text, and their numbers in the whole."""
        found = {int(each["number"]): int(each["start"]) for each in self._always}
        found |= dict(self._occurring(sorted(_parts(normal))))
        numbers = sorted(found)
        records = (self._model[found[each] : _end(self._model, found[each])] for each in numbers)
        return b"".join((*records, self._model[self._end :])), numbers

    def _occurring(self, parts: Sequence[bytes]) -> Iterator[tuple[int, int]]:
        hashes = np.array([_hash(part) for part in parts], dtype=np.uint64)
        places = np.searchsorted(self._entries["hash"], hashes)
        for part, place in zip(parts, places.tolist(), strict=True):
            if place < len(self._entries):
                start = int(self._entries["start"][place])
                if _piece(self._model, start) == part:
                    yield int(self._entries["number"][place]), start


def _parts(text: str) -> set[bytes]:
    """Return every part of the text that may be a piece."""
    return {
        text[start:end].encode()
        for start in range(len(text))
        for end in range(start + 1, min(start + _LONGEST, len(text)) + 1)
    }


def _read(file: Path) -> NDArray[Any] | None:
    """Return the entries in a file; None if it is missing or damaged."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    body, checksum = content[:-4], content[-4:]
    if len(body) % _ENTRY.itemsize or crc32(body).to_bytes(4, "big") != checksum:
        return None
    return np.frombuffer(body, dtype=_ENTRY)


def _made(model: bytes) -> NDArray[Any]:
    """Read all pieces. Each small model has the special ones, and the lowest and highest score."""
    starts = list(_starts(model))
    scores = [_score(model, start) for start in starts]
    normal = [score for score in scores if score is not None]
    bounds = {scores.index(min(normal)), scores.index(max(normal))}
    entries = np.array(
        [
            (_hash(_piece(model, start)), start, number, score is None or number in bounds)
            for number, (start, score) in enumerate(zip(starts, scores, strict=True))
        ],
        dtype=_ENTRY,
    )
    return entries[np.argsort(entries["hash"], kind="stable")]


def _starts(model: bytes) -> Iterator[int]:
    start = 0
    while model[start] == model[start + 2] == 0x0A:
        yield start
        start = _end(model, start)


def _end(model: bytes, start: int) -> int:
    return start + 2 + model[start + 1]


def _piece(model: bytes, start: int) -> bytes:
    begin = start + _HEADER
    return model[begin : begin + model[start + 3]]


def _score(model: bytes, start: int) -> float | None:
    """Return the score of a normal piece; None for a special one, which tells its type."""
    place = start + _HEADER + model[start + 3]
    if _end(model, start) - place != 5 or model[place : place + 1] != _SCORE:
        return None
    score: float = unpack_from("<f", model, place + 1)[0]
    return score


def _hash(piece: bytes) -> int:
    return int.from_bytes(blake2b(piece, digest_size=8).digest(), "little")
