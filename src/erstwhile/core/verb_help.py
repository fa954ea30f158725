"""The help of verbs: each argument with its meaning, also those behind `**details`.

It is made when somebody asks, with `help` or in IPython, so that loading a class stays fast. The
table of verbs in `rpc` knows the arguments; it is above this module, and loaded then.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

_ARGUMENTS = "erstwhile.rpc.verb_help"


class VerbDoc(str):
    """A docstring which `inspect.getdoc` and `help` complete with the arguments."""

    function: Callable[..., Any]

    def expandtabs(self, tabsize: Any = 8) -> str:  # noqa: ARG002
        """Return the docstring with its arguments: `inspect.cleandoc` begins with this call."""
        listed: str = import_module(_ARGUMENTS).listed_arguments(self.function)
        return inspect.cleandoc(str(self)) + listed


class VerbSignature(inspect.Signature):
    """A signature with every keyword argument in place of `**details`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.declared = inspect.signature(function)
        self._function = function

    @cached_property
    def _full(self) -> inspect.Signature:
        found: inspect.Signature = import_module(_ARGUMENTS).full_signature(
            self._function, self.declared
        )
        return found

    @property
    def parameters(self) -> Any:
        """All parameters by name."""
        return self._full.parameters

    @property
    def return_annotation(self) -> Any:
        """The type of the result."""
        return self.declared.return_annotation

    def replace(self, **parts: Any) -> inspect.Signature:  # type: ignore[override]
        """Return an ordinary signature with other parts."""
        return self._full.replace(**parts)


def add_help(kind: type) -> None:
    """Let `help` and IPython show every argument of the verbs of a class."""
    for name, verb in vars(kind).items():
        if name.startswith("_") or not inspect.isfunction(verb) or not verb.__doc__:
            continue
        if inspect.unwrap(verb).__code__.co_flags & inspect.CO_VARKEYWORDS:
            verb.__signature__ = VerbSignature(verb)  # type: ignore[attr-defined]
        verb.__doc__ = doc = VerbDoc(verb.__doc__)
        doc.function = verb


def declared_signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a verb as it is written, with `**details`."""
    found = inspect.signature(function)
    return found.declared if isinstance(found, VerbSignature) else found


def declared_doc(function: Callable[..., Any]) -> str:
    """Return the docstring of a verb as it is written, without the arguments."""
    return inspect.cleandoc(str(function.__doc__ or ""))
