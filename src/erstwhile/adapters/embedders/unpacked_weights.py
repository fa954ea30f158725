"""The weights of the default embedder, unpacked once into the user's cache folder.

To inflate them takes longer than everything else at the start. From the cache they are mapped into
memory: the processes of a machine share one copy, and only the rows that are used are read.

A cache can always be deleted. Where it cannot be written, or what is in it is not what was written,
the weights are inflated again.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.packaged import PackagedFile
from erstwhile.core.errors import EmbedderError

Weights: TypeAlias = NDArray[np.void]
"""One record with a field for each matrix of `LAYOUT`."""

_BLOCKS, _ROWS = 17, 7_530
"""The package keeps the rows of pieces in blocks: piece n is row n // 17 of block n % 17."""
_ORDERS = (2, 3, 5)
_JOINED = {"proj": "proj", "proj_b": "proj_b", "ln_gs": "ln_g", "ln_bs": "ln_b"}
"""Matrices that the package keeps apart for each order, under these names and the order."""
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
_CHECKSUM_BYTES = 4


def unpacked_weights(packed: PackagedFile) -> Weights:
    """Return the weights, from the cache if they are there."""
    file = cache_folder() / f"universal-{packed.sha256[:16]}-1.weights"
    found = _mapped(file)
    if found is not None:
        return found
    inflated = _inflated(packed.verified())
    with suppress(OSError):
        write_checked(file, inflated)
        found = _mapped(file)
    return inflated if found is None else found


def cache_folder() -> Path:
    """Return the folder that `ERSTWHILE_CACHE` names, or the user's cache folder."""
    import platformdirs

    given = os.environ.get("ERSTWHILE_CACHE")
    if given:
        return Path(given).expanduser()
    return Path(platformdirs.user_cache_dir("erstwhile", appauthor=False))


def _mapped(file: Path) -> Weights | None:
    """Return the weights in a file; None if it is missing, cut off or damaged."""
    try:
        if file.stat().st_size != LAYOUT.itemsize + _CHECKSUM_BYTES:
            return None
        content = np.memmap(file, dtype=np.uint8, mode="r")
    except OSError:
        return None
    body, checksum = content[: LAYOUT.itemsize], bytes(content[LAYOUT.itemsize :])
    return _record(body) if _checksum(body.data) == checksum else None


def write_checked(file: Path, content: NDArray[Any]) -> None:
    """Write an array and its checksum, under another name first: nobody ever reads a part of it."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")  # mode 0600
    body = content.view(np.uint8).data
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


def _record(body: NDArray[np.uint8]) -> Weights:
    return body.view(np.ndarray).view(LAYOUT)


def _inflated(file: Path) -> Weights:
    weights = np.empty(1, dtype=LAYOUT)
    try:
        with np.load(file, allow_pickle=False) as packed:
            for name in weights.dtype.names or ():
                if name != "pieces":
                    weights[name] = _matrix(packed, name)
            for block in range(_BLOCKS):
                weights["pieces"][0, block::_BLOCKS] = packed[f"q{block + 1}"]
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderError(f"{file} cannot be read ({type(error).__name__})") from None
    return weights


def _matrix(packed: np.lib.npyio.NpzFile, name: str) -> NDArray[np.float32]:
    if name in _JOINED:
        return np.concatenate([packed[f"{_JOINED[name]}{n}"] for n in _ORDERS], axis=-1)
    matrix: NDArray[np.float32] = packed[name]
    return matrix
