"""The arguments of verbs for `help` and IPython, from the table of verbs and its descriptions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from textwrap import wrap
from typing import Any, get_args

from erstwhile.rpc.codec import hints_of
from erstwhile.rpc.verbs import LOCAL_VERBS, class_of, describe_parameter, verbs

_WIDTH = 92


class _LeftOut:
    """The default of an argument that has no value unless it is given."""

    def __repr__(self) -> str:
        return "…"


_LEFT_OUT = _LeftOut()


def full_signature(function: Callable[..., Any], declared: inspect.Signature) -> inspect.Signature:
    """Return a signature with each field of the `**details` as an argument of its own."""
    *own, details = declared.parameters.values()
    if details.kind is not details.VAR_KEYWORD:  # such as a verb of a remote memory
        return declared
    (fields,) = get_args(hints_of(function)[details.name])
    more = [
        inspect.Parameter(name, details.replace(kind=inspect.Parameter.KEYWORD_ONLY).kind,
                          default=_LEFT_OUT, annotation=getattr(hint, "__forward_arg__", hint))
        for name, hint in fields.__annotations__.items()
    ]  # fmt: skip
    return declared.replace(parameters=[*own, *more])


def listed_arguments(function: Callable[..., Any]) -> str:
    """Return the list of the arguments of a verb with their meanings, as part of a docstring."""
    lines = list(_lines(function))
    return "\n\n".join(("", "\n".join(("Arguments:", *lines)))) if lines else ""


def _lines(function: Callable[..., Any]) -> Iterator[str]:
    for name in inspect.signature(function).parameters:
        if name != "self":
            text = f"{name}: {describe_parameter(_names().get(function, ''), name)}"
            first, *rest = wrap(text, _WIDTH)
            yield from (f"    {first}", *(f"        {each}" for each in rest))


@cache
def _names() -> dict[Callable[..., Any], str]:
    """Return the name of each verb by its function; those of all collections have none."""
    found: dict[Callable[..., Any], str] = {}
    for name in (*verbs(), *LOCAL_VERBS):
        collection, _, verb = name.rpartition(".")
        function = vars(class_of(collection)).get(verb)
        if function is not None:
            found[function] = name
    return found
