"""Where the key of an encrypted memory is: in a file, a variable, or the keyring of the system.

A key is never an argument: arguments are seen by other users, and stay in histories.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from erstwhile.core.errors import InvalidInputError, KeyMissingError, RefusedError

_SOURCE = re.compile(r"(file|env|keyring):(\S.*)")
_REMEDY = "write file:PATH, env:VARIABLE or keyring:SERVICE/NAME"


def check_key_source(source: str) -> None:
    """Raise InvalidInputError unless it is empty or says where a key is."""
    if source and not (isinstance(source, str) and _SOURCE.fullmatch(source)):
        raise InvalidInputError("key does not say where the key is", remedy=_REMEDY)


def read_key(source: str) -> str:
    """Return the key from its source; an empty source has none."""
    check_key_source(source)
    kind, _, place = source.partition(":")
    if not source:
        return ""
    readers: dict[str, Callable[[str], str | None]] = {
        "file": _from_file,
        "env": os.environ.get,
        "keyring": _from_ring,
    }
    key = readers[kind](place)
    if not key:
        raise KeyMissingError(f"there is no key at {source}", remedy=f"put it there, or {_REMEDY}")
    return key


def _from_file(place: str) -> str:
    path = Path(place).expanduser()
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise RefusedError(f"other users can read {path}", remedy=f"run chmod 600 {path}")
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyMissingError(f"the key cannot be read: {error}", remedy=_REMEDY) from None


def _from_ring(place: str) -> str | None:
    try:
        keyring = import_module("keyring")  # only who keeps the key there needs it
    except ImportError:
        raise InvalidInputError(
            "the keyring needs a package that is not installed",
            remedy="install it with: pip install 'erstwhile[encrypted]'",
        ) from None
    service, _, name = place.rpartition("/")
    found: str | None = keyring.get_password(service or place, name)
    return found
