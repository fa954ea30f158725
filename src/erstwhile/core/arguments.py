"""The arguments of functions that work on whole memories: checked by name, before anything runs.

The parameters have regular names, so one table says what each of them accepts. Whatever goes wrong
with a file comes out as a StorageError.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from erstwhile.core.errors import InvalidInputError, RefusedError, StorageError
from erstwhile.core.settings import Settings
from erstwhile.core.text import encodable
from erstwhile.core.verb_arguments import check_flag

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


def checked_items(items: Iterable[Result], name: str) -> Iterable[Result]:
    """Return a list that somebody gave, or raise InvalidInputError if it is none."""
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InvalidInputError(f"{name} must be a list", remedy=f"write {name}=[…]")
    return items


def is_place(value: object) -> bool:
    """Return whether a value can be a path or an address: SQLite knows only names in UTF-8."""
    if not isinstance(value, (str, os.PathLike)):
        return False
    text = os.fspath(value)
    is_text = isinstance(text, str) and bool(text.strip()) and "\0" not in text
    return is_text and encodable(str(text))


def _has_type(*kinds: type) -> Callable[[object], bool]:
    return lambda value: type(value) in kinds


_PLACE = (is_place, "the path of a file, or the address of a database")
_FLAG = (_has_type(bool), "true or false")
_CHECKS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("source", "target", "folder", "backup", "file", "location", "into"), _PLACE),
    **dict.fromkeys(("overwrite", "vectors", "preview", "models", "compact"), _FLAG),
    **dict.fromkeys(
        ("old_key", "new_key", "database", "name", "space"), (_has_type(str), "a text")
    ),
    "keep": (_has_type(int), "a number"),
    "settings": (lambda value: isinstance(value, Settings), "a Settings"),
    "progress": (callable, "a function"),
}
"""What each parameter accepts. None is accepted where it is the default."""


def check_keywords(given: Mapping[str, object], known: type, *own: str) -> None:
    """Raise TypeError if a given keyword argument is not a field of a TypedDict class.

    `own` are the other parameters of the verb, which the error may suggest. A flag must be a bool.
    """
    if not given.keys() <= (names := _fields(known)):
        unknown, possible = min(given.keys() - names), sorted(names.union(own))
        nearest = get_close_matches(unknown, possible, n=1)
        hint = f"did you mean '{nearest[0]}'?" if nearest else f"known are {', '.join(possible)}"
        raise TypeError(f"unknown keyword argument '{unknown}'; {hint}")
    for name in given.keys() & _flags(known):
        check_flag(name, given[name])


@cache
def _flags(known: type) -> frozenset[str]:
    hints = (
        (name, getattr(hint, "__forward_arg__", "")) for name, hint in known.__annotations__.items()
    )
    return frozenset(name for name, hint in hints if hint == "bool")


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
            "this needs the store itself, which a server does not give",
            remedy="run it on the machine of the memory, with the file or database as the location",
        )
    return place


def shown_location(place: str) -> str:
    """Return a location to show to people: an address without the password and the options."""
    scheme, is_address, rest = place.partition("://")
    if not is_address:
        return place
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"
