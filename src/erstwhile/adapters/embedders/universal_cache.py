"""The model of the default embedder in a form that loads fast: one file in the user's cache folder.

Inflating the weights and loading a vocabulary of 128,000 pieces take longer than everything else at
the start. The file is mapped into memory, so that processes share one copy. It has the weights and
the vocabulary in alphabetical order, in which the pieces of a short text are found at once.

The file can always be deleted. If it cannot be written, or if its content is damaged, it is derived
again from the package.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import PackagedFile
from erstwhile.core.errors import EmbedderError
from erstwhile.core.folders import user_folder

Weights: TypeAlias = NDArray[np.void]
"""One record with a field for each matrix of `LAYOUT`."""
PIECE = np.dtype("S48")
"""The longest piece of the vocabulary has 48 bytes in UTF-8."""

_BLOCKS, _ROWS, _PIECES = 17, 7_530, 128_000
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
LAYOUT = np.dtype(
    [
        ("eps", "<f8"),
        *((name, "<f4", shape) for name, shape in _SHAPES.items()),
        ("pieces", "u1", (_BLOCKS * _ROWS, 512)),
        ("vocabulary", PIECE, (_PIECES,)),  # sorted
        ("numbers", "<u4", (_PIECES,)),  # of the pieces in `vocabulary`
        ("starts", "<u4", (_PIECES + 1,)),  # of the records in the model, by number, and their end
    ]
)
_RECORD = re.compile(r"\n.\n.([^\x15]{1,48})\x15....(?:\x18.)?", re.DOTALL)
"""A piece in the model, a protocol buffer: its text, its score, and its type if it is special."""
_CHECKSUM_BYTES = 4


def cache_folder() -> Path:
    """Return the folder that `ERSTWHILE_CACHE` names, or the user's cache folder."""
    given = os.environ.get("ERSTWHILE_CACHE")
    return Path(given).expanduser() if given else user_folder("cache")


def load_weights(packed: PackagedFile, model: bytes) -> Weights:
    """Return the weights, with the index of a SentencePiece model; from the cache if possible."""
    file = cache_folder() / f"universal-{packed.sha256[:16]}-2.weights"
    cached = _map_cached(file)
    if cached is not None:
        return cached
    weights = _inflate(packed.verified())
    _index_pieces(model, weights)
    _write_cached(file, weights)
    cached = _map_cached(file)
    return weights if cached is None else cached


def _inflate(file: Path) -> Weights:
    weights = np.zeros(1, dtype=LAYOUT)
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


def _index_pieces(model: bytes, weights: Weights) -> None:
    records = list(_RECORD.finditer(model.decode("latin-1")))  # one character for each byte
    pieces = np.array([record[1].encode("latin-1") for record in records], dtype=PIECE)
    weights["numbers"] = order = np.argsort(pieces)
    weights["vocabulary"] = pieces[order]
    weights["starts"] = [*(record.start() for record in records), records[-1].end()]


def _map_cached(file: Path) -> Weights | None:
    """Map the cache file; return None if it is missing or damaged."""
    try:
        content = np.memmap(file, dtype=np.uint8, mode="r").view(np.ndarray)
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None
    body, checksum = content[:-_CHECKSUM_BYTES], content[-_CHECKSUM_BYTES:].tobytes()
    if len(body) != LAYOUT.itemsize or _checksum(body.data) != checksum:
        return None
    return body.view(LAYOUT)


def _write_cached(file: Path, weights: Weights) -> None:
    """Write the file if possible, atomically: no reader sees a part of it."""
    body = weights.view(np.uint8).data
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
