"""Arguments and results as JSON values."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from os import PathLike
from typing import Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.json_values import SINGLE, single_value
from erstwhile.facts.draft import Draft


def encoded_result(value: Any) -> Any:
    """Return a result in JSON types. Every record is an object with all its fields."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: encoded_result(each) for name, each in value._asdict().items()}
    return _encoded(value, encoded_result)


def encoded_argument(value: Any) -> Any:
    """Return an argument in JSON types; a named tuple is a list, as callers may write it."""
    match value:
        case Draft():  # the server makes the fingerprint again
            return {
                name: encoded_argument(each)
                for name, each in value._asdict().items()
                if name != "fingerprint"
            }
        case float() if not math.isfinite(value):
            raise InvalidInputError(f"{value!r} is not a number", remedy="give a finite number")
        case PathLike() | bytes() | bytearray():
            raise InvalidInputError(
                f"a {type(value).__name__} cannot be sent to a server", remedy="give a text"
            )
        case _:
            return _encoded(value, encoded_argument)


def written_json(value: Any) -> bytes:
    """Return JSON types as bytes. Letters beyond ASCII are escaped, so any text can be sent."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _encoded(value: Any, each: Any) -> Any:
    if isinstance(value, SINGLE):
        return single_value(value)
    if isinstance(value, Mapping):
        return {_key(name): each(part) for name, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: each(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Iterable):
        return [each(part) for part in value]
    raise InvalidInputError(
        f"a {type(value).__name__} cannot be sent to a server", remedy="give values of JSON"
    )


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidInputError(
            f"{name!r} cannot be the name of a field", remedy="give names that are texts"
        )
    return name.value if isinstance(name, Enum) else name
