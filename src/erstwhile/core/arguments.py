"""The arguments of functions that work on whole memories: checked by name, before anything runs.

The parameters have regular names, so one table says what each of them accepts. Whatever goes wrong
with a file comes out as a StorageError.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache, wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from erstwhile.core.errors import InvalidInputError, RefusedError, StorageError
from erstwhile.core.installing import install_extra
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


def check_keywords(given: Mapping[str, object], known: type, *own: str) -> None:
    """Raise TypeError if a given keyword argument is not a field of a TypedDict class.

    `own` are the other parameters of the verb, which the error may suggest.
    """
    if not given.keys() <= (names := _fields(known)):
        unknown, possible = min(given.keys() - names), sorted(names.union(own))
        nearest = get_close_matches(unknown, possible, n=1)
        hint = f"did you mean '{nearest[0]}'?" if nearest else f"known are {', '.join(possible)}"
        raise TypeError(f"unknown keyword argument '{unknown}'; {hint}")


@cache
def _fields(known: type) -> frozenset[str]:
    # A TypedDict keeps its fields here without evaluating their types.
    required: frozenset[str] = known.__required_keys__  # type: ignore[attr-defined]
    optional: frozenset[str] = known.__optional_keys__  # type: ignore[attr-defined]
    return required | optional


def is_server(place: str) -> bool:
    """Return whether a location is the address of a server."""
    # What is no text is refused later, with an error that says so.
    return isinstance(place, str) and place.lower().startswith(("http://", "https://"))


def own_store(place: str) -> str:
    """Return a location whose store can be opened. Raise RefusedError for that of a server."""
    if is_server(place):
        raise RefusedError(
            "this needs the store itself, and a server does not hand it out",
            remedy="do it where the memory is, with its file or its database as the location",
        )
    return place


def shown_location(place: str) -> str:
    """Return a location to show to people: an address without the password and the options."""
    scheme, is_address, rest = place.partition("://")
    if not is_address:
        return place
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"


def import_extra(module: str, extra: str) -> Any:
    """Return a module; raise InvalidInputError with the extra if one of its packages is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("erstwhile"):
            raise  # a defect of ours, which no extra mends
        raise InvalidInputError(
            f"the package {error.name} is missing", remedy=install_extra(extra)
        ) from None
