"""Reference page of the public types: records with their fields, vocabularies, errors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from scripts.docs_site.markdown import table

import erstwhile
from erstwhile import ErstwhileError
from erstwhile.rpc.verbs import describe_field

PUBLIC: dict[str, Any] = {
    name: getattr(module, name)
    for module in (erstwhile, erstwhile.types)
    for name in module.__all__
}


def page() -> str:
    kinds = {name: each for name, each in sorted(PUBLIC.items()) if isinstance(each, type)}
    parts = [
        "# Types\n",
        "Records, reports and vocabularies. All others are in `erstwhile.types`.\n",
    ]
    for name, kind in kinds.items():
        if issubclass(kind, ErstwhileError):
            continue
        parts += [f"## {name}\n", f"{inspect.getdoc(kind) or ''}\n"]
        if issubclass(kind, StrEnum):
            parts.append(", ".join(f"`{word}`" for word in kind) + "\n")
        parts.append(table(("field", "type", "meaning"), _fields(kind)))
    return "\n".join(parts)


def names_of(kind: type) -> list[str]:
    """Return the fields and properties of a record."""
    return [name for name in _hints(kind) if not name.startswith("_")]


def _fields(kind: type) -> Iterator[tuple[str, str, str]]:
    hints = _hints(kind)
    for name in names_of(kind):
        yield f"`{name}`", f"`{hints[name]}`", describe_field(kind, name)


def _hints(kind: type) -> dict[str, str]:
    """Return the type of each field, and of each property that the class itself has."""
    found = {}
    if is_dataclass(kind):
        found = {each.name: str(each.type) for each in fields(kind)}
    for name, part in vars(kind).items():
        if isinstance(part, property) and part.fget:
            found[name] = str(inspect.signature(part.fget).return_annotation)
    return found
