"""The arguments of functions that work on whole memories: checked by name, before anything runs.

The parameters have regular names, so one table says what each of them accepts. Whatever goes wrong
with a file comes out as a StorageError.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from erstwhile.core.errors import InvalidInputError, StorageError
from erstwhile.core.settings import Settings

Params = ParamSpec("Params")
Result = TypeVar("Result")


def checked_arguments(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Let a function raise InvalidInputError for a wrong argument, StorageError for a bad file."""
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: Params.args, **kwargs: Params.kwargs) -> Result:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            _check(name, value, signature.parameters[name].default)
        try:
            return function(*args, **kwargs)
        except OSError as error:
            raise StorageError(
                f"a file cannot be used ({error.strerror or type(error).__name__})",
                remedy="check the paths, their permissions and the space on the disk",
            ) from error

    return called


def unseen(_done: int, _total: int) -> None:
    """Show no progress."""


def _check(name: str, value: object, default: object) -> None:
    if name not in _CHECKS or (value is None and default is None):
        return
    accepts, accepted = _CHECKS[name]
    if not accepts(value):
        raise InvalidInputError(f"{name} is not {accepted}", remedy=f"give {accepted}")


def is_place(value: object) -> bool:
    """Return whether a value can be a path or an address."""
    if not isinstance(value, (str, os.PathLike)):
        return False
    text = os.fspath(value)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        return False
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _is(*kinds: type) -> Callable[[object], bool]:
    return lambda value: type(value) in kinds


_PLACE = (is_place, "the path of a file, or the address of a database")
_FLAG = (_is(bool), "true or false")
_CHECKS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("source", "target", "folder", "backup", "file", "location", "into"), _PLACE),
    **dict.fromkeys(("overwrite", "vectors", "preview", "models", "compact"), _FLAG),
    **dict.fromkeys(("old_key", "new_key", "database", "name", "space"), (_is(str), "a text")),
    "keep": (_is(int), "a number"),
    "settings": (lambda value: isinstance(value, Settings), "a Settings"),
    "progress": (callable, "a function"),
}
"""What each parameter accepts. None is accepted where it is the default."""
