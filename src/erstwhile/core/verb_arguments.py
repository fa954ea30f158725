"""The arguments of verbs: what every verb refuses, before its own checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import FunctionType

from erstwhile.core.errors import InvalidInputError

_NEEDED = ("str", "Moment")
"""Types of parameters for which None would often mean that something was left out."""


def argument_check(verb: FunctionType) -> Callable[[Sequence[object], Mapping[str, object]], None]:
    """Return a function that checks the arguments of a verb: flags, and texts that are None."""
    code, hints = inspect.unwrap(verb).__code__, verb.__annotations__
    names = code.co_varnames[1 : code.co_argcount]

    def check(args: Sequence[object], given: Mapping[str, object]) -> None:
        for name, value in chain(zip(names, args, strict=False), given.items()):
            hint = hints.get(name, "")
            if value is None and hint in _NEEDED:
                raise InvalidInputError(f"{name} is None", remedy="give a value")
            check_flag(name, value, hint)

    return check


def check_flag(name: str, value: object, hint: str) -> None:
    """Raise InvalidInputError for a flag that is no bool: "false" would count as true."""
    if hint.startswith("bool") and value is not None and type(value) is not bool:
        raise InvalidInputError(
            f"{name} must be True or False, not a {type(value).__name__}", remedy="give a bool"
        )
