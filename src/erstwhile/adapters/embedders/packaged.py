"""Models that come inside Python packages: found without import, checked by hash, loaded once.

The packages are young and each has one maintainer. Only the very files that were measured are
used: other weights under the same name would silently mix vectors that cannot be compared.
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
from erstwhile.core.fork_safe_lock import ForkSafeLock

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of an installed package, the hash it must have, and the release that has it."""

    package: str
    path: str
    sha256: str
    release: str

    def verified(self) -> Path:
        """Where the file is, once it has been read and found to be the right one."""
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
    """A module that is loaded when it is used, or an error with the line that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise _missing(module, release) from None


class Once(Generic[Value]):
    """A value that is made when first asked for, by one thread for all."""

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
