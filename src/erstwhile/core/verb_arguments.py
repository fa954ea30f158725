"""The arguments of verbs: what every verb refuses, before its own checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import FunctionType

from erstwhile.core.errors import InvalidInputError

_NEEDED = ("str", "Moment", "bool")
"""Types of parameters for which None would often mean that something was left out."""
_FLAGS = ("bool", "bool | None")


def argument_check(verb: FunctionType) -> Callable[[Sequence[object], Mapping[str, object]], None]:
    """Return a function that checks the arguments of a verb: flags, and texts that are None."""
    code, hints = inspect.unwrap(verb).__code__, verb.__annotations__
    names = code.co_varnames[1 : code.co_argcount]
    needed = frozenset(name for name, hint in hints.items() if hint in _NEEDED)
    flags = frozenset(name for name, hint in hints.items() if hint in _FLAGS)

    def check(args: Sequence[object], given: Mapping[str, object]) -> None:
        for name, value in chain(zip(names, args, strict=False), given.items()):
            if value is None and name in needed:
                raise InvalidInputError(f"{name} is None", remedy="give a value")
            if name in flags:
                check_flag(name, value)

    return check


def check_flag(name: str, value: object) -> None:
    """Raise InvalidInputError for a flag that is no bool: "false" would count as true."""
    if value is not None and type(value) is not bool:
        raise InvalidInputError(
            f"{name} must be True or False, not a {type(value).__name__}", remedy="give a bool"
        )
