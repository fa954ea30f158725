"""The types of parameters, results and fields, with the names that only type checkers import."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from importlib import import_module
from os import PathLike
from threading import Event
from typing import Any, get_type_hints

import erstwhile
from erstwhile import types

_UNNAMED = {
    "ContextOptions": "context.model",
    "RetentionLimits": "core.retention",
    "Dimensions": "core.scope",
    "Details": "facts.details",
    "ValueDetails": "facts.details",
    "Filters": "facts.filters",
    "ContentFilters": "facts.filters",
    "DecisionFilters": "decisions.decision",
    "TaskDetails": "tasks.draft",
    "TaskChanges": "tasks.draft",
    "Moment": "core.time",
    "Tokens": "core.tokens",
}
"""The types of parameters that have no public name, and their homes."""
_STANDARD: dict[str, Any] = {
    "Any": Any, "Callable": Callable, "Decimal": Decimal, "Event": Event, "Iterable": Iterable,
    "Mapping": Mapping, "PathLike": PathLike, "Sequence": Sequence, "builtins": builtins,
    "date": date, "datetime": datetime, "timedelta": timedelta,
}  # fmt: skip


class _Names(dict[str, Any]):
    """The names in annotations, each loaded when an annotation has it."""

    def __missing__(self, name: str) -> Any:
        if name in _UNNAMED:
            return getattr(import_module(f"erstwhile.{_UNNAMED[name]}"), name)
        for module in (types, erstwhile):
            if name in module.__all__ and not name.islower():
                return getattr(module, name)
        raise KeyError(name)


_NAMES = _Names(_STANDARD)


@cache
def hints_of(described: Any) -> Mapping[str, Any]:
    """Return the types of a function's parameters and result, or of a class's fields, by name."""
    return get_type_hints(described, localns=_NAMES)
