"""The model of the default embedder in a form that loads fast, kept in the user's cache folder.

Inflating the weights and loading a vocabulary of 128,000 pieces take longer than everything else at
the start. From the cache, the weights are mapped into memory, so that processes share one copy. An
index finds the pieces that may occur in a text: a model with only these pieces divides the text in
the same way, and loads at once.

A cache can always be deleted. If it cannot be written, or if its content is damaged, the files are
derived again from the package.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from struct import unpack_from
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import PackagedFile
from erstwhile.core.errors import EmbedderError
from erstwhile.core.settings import user_folder

Weights: TypeAlias = NDArray[np.void]
"""One record with a field for each matrix of `LAYOUT`."""

_BLOCKS, _ROWS = 17, 7_530
"""The package keeps the rows of pieces in blocks: piece n is row n // 17 of block n % 17."""
_ORDERS = (2, 3, 5)
_JOINED = {"proj": "proj", "proj_b": "proj_b", "ln_gs": "ln_g", "ln_bs": "ln_b"}
"""Matrices with one part for each order in the package, and the names of the parts."""
_SHAPES: dict[str, tuple[int, ...]] = {
    "scale": (_BLOCKS,), "lo": (_BLOCKS,), "proj": (512, 768), "proj_b": (768,),
    "ln_gs": (768,), "ln_bs": (768,),
    **{f"{name}_{n}": (n * 256, 256) for n in _ORDERS for name in ("w1", "w2")},
    **{f"{name}_{n}": (256,) for n in _ORDERS for name in ("b1", "b2")},
    "ln_g": (1280,), "ln_b": (1280,), "cnn_W": (1280, 512), "cnn_b": (512,), "d0": (512, 320),
    "d1": (320, 320), "p1": (512, 320), "d2": (320, 512), "p3": (320, 512), "d3": (512, 512),
}  # fmt: skip
_FLOATS = [(name, "<f4", shape) for name, shape in _SHAPES.items()]
LAYOUT = np.dtype([("eps", "<f8"), *_FLOATS, ("pieces", "u1", (_BLOCKS * _ROWS, 512))])
_INDEX_ENTRY = np.dtype([("hash", "<u8"), ("start", "<u4"), ("number", "<u4"), ("always", "<u4")])
"""Where the piece with a hash begins in the model, and whether every small model needs it."""
_CHECKSUM_BYTES = 4
_PIECE_HEADER, _SCORE_TAG = 4, b"\x15"
"""A piece follows two tags and two lengths, each of one byte. Its score follows the piece."""
_LONGEST_PIECE = 32
"""An upper bound for the characters of a piece."""


def cache_folder() -> Path:
    """Return the folder that `ERSTWHILE_CACHE` names, or the user's cache folder."""
    given = os.environ.get("ERSTWHILE_CACHE")
    return Path(given).expanduser() if given else user_folder("cache")


def load_weights(packed: PackagedFile) -> Weights:
    """Return the weights, from the cache if they are there."""
    file = cache_folder() / f"universal-{packed.sha256[:16]}-1.weights"
    cached = _map_cached(file, LAYOUT)
    if cached is not None and len(cached) == 1:
        return cached
    inflated = _inflate(packed.verified())
    _write_cached(file, inflated)
    cached = _map_cached(file, LAYOUT)
    return inflated if cached is None else cached


def _inflate(file: Path) -> Weights:
    weights = np.empty(1, dtype=LAYOUT)
    try:
        with np.load(file, allow_pickle=False) as packed:
            for name in ("eps", *_SHAPES):
                parts = [f"{_JOINED[name]}{n}" for n in _ORDERS] if name in _JOINED else [name]
                matrices = [packed[part] for part in parts]
                weights[name] = matrices[0] if len(parts) == 1 else np.concatenate(matrices, -1)
            for block in range(_BLOCKS):
                weights["pieces"][0, block::_BLOCKS] = packed[f"q{block + 1}"]
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderError(f"{file} cannot be read ({type(error).__name__})") from None
    return weights


def _map_cached(file: Path, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Map the records of a cache file; return None if the file is missing or damaged."""
    try:
        content = np.memmap(file, dtype=np.uint8, mode="r").view(np.ndarray)
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None
    body, checksum = content[:-_CHECKSUM_BYTES], content[-_CHECKSUM_BYTES:].tobytes()
    if len(body) % dtype.itemsize or _checksum(body.data) != checksum:
        return None
    return body.view(dtype)


def _write_cached(file: Path, records: NDArray[Any]) -> None:
    """Write records and a checksum if possible, atomically: no reader sees a part of the file."""
    body = records.view(np.uint8).data
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(body)
                stream.write(_checksum(body))
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _checksum(body: memoryview) -> bytes:
    return crc32(body).to_bytes(_CHECKSUM_BYTES, "big")


class PieceIndex:
    """Index of the pieces of one SentencePiece model."""

    def __init__(self, model: bytes, file: Path) -> None:
        self._model = model
        entries = _map_cached(file, _INDEX_ENTRY)
        if entries is None or not len(entries):
            entries = _index_pieces(model)
            _write_cached(file, entries)
        self._entries = entries
        self._always = entries[entries["always"] == 1]
        self._end = _record_end(model, int(entries["start"].max()))

    def small_model(self, normalised: str = "") -> tuple[bytes, list[int]]:
        """Return a model with the pieces of a normalised text, and their numbers in the whole."""
        found = {int(each["number"]): int(each["start"]) for each in self._always}
        found |= dict(self._occurring(sorted(_possible_pieces(normalised))))
        numbers = sorted(found)
        records = (
            self._model[found[each] : _record_end(self._model, found[each])] for each in numbers
        )
        return b"".join((*records, self._model[self._end :])), numbers

    def _occurring(self, parts: Sequence[bytes]) -> Iterator[tuple[int, int]]:
        hashes = np.array([_hash(part) for part in parts], dtype=np.uint64)
        places = np.searchsorted(self._entries["hash"], hashes)
        for part, place in zip(parts, places.tolist(), strict=True):
            if place < len(self._entries):
                start = int(self._entries["start"][place])
                if _piece_at(self._model, start) == part:
                    yield int(self._entries["number"][place]), start


def _possible_pieces(text: str) -> set[bytes]:
    return {
        text[start:end].encode()
        for start in range(len(text))
        for end in range(start + 1, min(start + _LONGEST_PIECE, len(text)) + 1)
    }


def _index_pieces(model: bytes) -> NDArray[Any]:
    """Read all pieces. Small models have the special ones, and the lowest and highest score."""
    starts, start = list[int](), 0
    while model[start] == model[start + 2] == 0x0A:
        starts.append(start)
        start = _record_end(model, start)
    scores = [_score(model, start) for start in starts]
    normal = [score for score in scores if score is not None]
    bounds = {scores.index(min(normal)), scores.index(max(normal))}
    entries = np.array(
        [
            (_hash(_piece_at(model, start)), start, number, score is None or number in bounds)
            for number, (start, score) in enumerate(zip(starts, scores, strict=True))
        ],
        dtype=_INDEX_ENTRY,
    )
    return entries[np.argsort(entries["hash"], kind="stable")]


def _record_end(model: bytes, start: int) -> int:
    return start + 2 + model[start + 1]


def _piece_at(model: bytes, start: int) -> bytes:
    begin = start + _PIECE_HEADER
    return model[begin : begin + model[start + 3]]


def _score(model: bytes, start: int) -> float | None:
    """Return the score of a normal piece; None for a special piece, whose record has a type."""
    place = start + _PIECE_HEADER + model[start + 3]
    if _record_end(model, start) - place != 5 or model[place : place + 1] != _SCORE_TAG:
        return None
    score: float = unpack_from("<f", model, place + 1)[0]
    return score


def _hash(piece: bytes) -> int:
    return int.from_bytes(blake2b(piece, digest_size=8).digest(), "little")
