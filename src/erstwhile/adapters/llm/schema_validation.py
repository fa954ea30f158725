"""Validation of a value against a JSON schema.

It supports the keywords that prompts use: type, properties, required, items and enum. Messages
name the path in the value, but never quote the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.core.errors import LlmError

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


def validated(value: Any, schema: Mapping[str, Any], place: str = "the answer") -> Any:
    """Return the value without unknown fields. Raise LlmError if it does not fit the schema.

    An optional field that is null counts as missing.
    """
    value = _whole(value)
    if types := types_of(schema):
        _check_type(value, types, place)
    if "enum" in schema and value not in schema["enum"]:
        raise unusable(f"{place} is not one of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, dict) and "properties" in schema:
        return _validated_object(value, schema, place)
    if isinstance(value, list) and "items" in schema:
        items = schema["items"]
        return [validated(each, items, f"{place}[{nth}]") for nth, each in enumerate(value)]
    return value


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema allows; none means any type."""
    types = schema.get("type", ())
    return (types,) if isinstance(types, str) else tuple(types)


def _validated_object(
    value: dict[str, Any], schema: Mapping[str, Any], place: str
) -> dict[str, Any]:
    required = schema.get("required", ())
    if missing := [name for name in required if name not in value]:
        raise unusable(f"{place} has no {missing[0]}")
    return {
        name: validated(value[name], below, f"{place}.{name}")
        for name, below in schema["properties"].items()
        if name in value and (name in required or value[name] is not None)
    }


def _check_type(value: Any, types: tuple[str, ...], place: str) -> None:
    # In Python a bool is an int; in JSON it is not.
    allowed = {each for name in types for each in _TYPES[name]}
    if type(value) not in allowed:
        raise unusable(f"{place} is not of the type {' or '.join(types)}")


def _whole(value: Any) -> Any:
    """Return 3.0 as 3: in JSON it is an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def unusable(message: str) -> LlmError:
    """Return the error for an answer that cannot be used."""
    return LlmError(message, remedy="try a more capable model", retryable=False)
