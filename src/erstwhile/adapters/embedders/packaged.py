"""Models inside Python packages: found without import, checked by hash, loaded once.

Each package is young and has one maintainer. Only the files that were measured are used: other
weights under the same name would silently mix vectors that cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar

from erstwhile.core.errors import EmbedderError
from erstwhile.core.fork_safety import ForkSafeLock

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of an installed package, with its hash and the release that has it."""

    package: str
    path: str
    sha256: str
    release: str

    def verified(self) -> Path:
        """Return the path of the file. Raise EmbedderError if its hash is wrong."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            raise _missing(self.package, self.release)
        file = Path(spec.submodule_search_locations[0], self.path)
        if _sha256(file) != self.sha256:
            raise EmbedderError(
                f"{file} is not the file that this version of Erstwhile was made with",
                remedy=f"pip install {self.release!r}, or choose another embedder",
            )
        return file


def imported(module: str, release: str) -> Any:
    """Import a module. Raise EmbedderError with the install command if it is missing."""
    try:
        return import_module(module)
    except ImportError:
        raise _missing(module, release) from None


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


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"{file} cannot be read ({error.strerror})") from None


def _missing(package: str, release: str) -> EmbedderError:
    return EmbedderError(f"{package} is not installed", remedy=f"pip install {release!r}")
