"""Conversion between the fields of records and the columns of rows.

`RowType` maps a dataclass to its columns by the types of its fields. A row that cannot be decoded
is damaged: reading it raises CorruptError.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from functools import cached_property, wraps
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from erstwhile.core.errors import CorruptError, InvalidInputError
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.ports import Row
from erstwhile.core.scope import to_scope
from erstwhile.core.text import NO_METADATA
from erstwhile.core.time import from_micros, to_micros

Item = TypeVar("Item")

UNDECODABLE = (
    LookupError, TypeError, ValueError, AttributeError, RecursionError, CorruptError,
    InvalidInputError,
)  # fmt: skip
"""What fails when a value is not what was stored."""

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def decodes(
    noun: str, *, id_at: int = 0
) -> Callable[[Callable[[Row], Item]], Callable[[Row], Item]]:
    """Return a decorator for a function that makes a record from a row."""

    def decorate(function: Callable[[Row], Item]) -> Callable[[Row], Item]:
        @wraps(function)
        def decoded(row: Row) -> Item:
            try:
                return function(row)
            except UNDECODABLE as error:
                raise damaged(noun, row[id_at]) from error

        return decoded

    return decorate


def damaged(noun: str, id: object) -> CorruptError:
    """Return the error for a record that cannot be decoded."""
    return CorruptError(f"the {noun} {id} is damaged", remedy="restore a copy")


class Codec(NamedTuple):
    """The conversion of one field to its column and back."""

    encode: Callable[[Any], Any] | None = None
    decode: Callable[[Any], Any] | None = None
    default: tuple[Any, Any] | None = (None, None)
    """A value that is not converted, and its column; None if all values are converted."""

    def sources(self, name: str, stored: str) -> tuple[str, str]:
        """Return the source text of both conversions, of a field and of its column."""
        value = f"item.{name}"
        encoded, decoded = f"encode_{name}({value})", f"decode_{name}({stored})"
        if self.default is not None:
            encoded = f"column_{name} if {value} == value_{name} else {encoded}"
            decoded = f"value_{name} if {stored} == column_{name} else {decoded}"
        return (encoded if self.encode else value), (decoded if self.decode else stored)


class RowType(Generic[Item]):
    """The columns of a dataclass, in the order of its fields. A scope takes four columns.

    `without` names fields that have no column, `names` gives the names of columns that differ from
    their fields, and `codecs` the conversions of other types than those below.
    """

    def __init__(
        self,
        record: type[Item],
        noun: str,
        *,
        without: Collection[str] = (),
        names: Mapping[str, str] = MappingProxyType({}),
        codecs: Mapping[str, Codec] = MappingProxyType({}),
    ) -> None:
        self._record: Callable[..., Item] = record
        self._noun = noun
        self._without = without
        self._names = names
        self._codecs = codecs

    @cached_property
    def encode(self) -> Callable[..., dict[str, Any]]:
        """The function that returns the columns of a record, without its scope.

        Its keyword arguments are more columns, or other values of columns.
        """
        return self._functions[0]

    def decode(self, row: Row, **given: Any) -> Item:
        """Make a record from its columns, and from the fields that have none."""
        try:
            return self._functions[1](row, given)
        except UNDECODABLE as error:
            raise damaged(self._noun, row[0]) from error

    @cached_property
    def _functions(self) -> tuple[Callable[..., dict[str, Any]], Callable[..., Item]]:
        """Compile both conversions on first use, as `dataclasses` compiles a constructor.

        A loop over the columns takes half as long again, for each row of each query.
        """
        types = get_type_hints(self._record)
        names = [each.name for each in fields(self._record)]  # type: ignore[arg-type]
        known: dict[str, Any] = {"record": self._record, "to_scope": to_scope}
        at, encoded, decoded = 0, list[str](), list[str]()
        for name in (name for name in names if name not in self._without):
            if name == "scope":
                decoded.append(f"scope=to_scope(*row[{at}:{at + 4}])")
                at += 4
                continue
            codec = self._codecs.get(name) or _codec(types[name])
            known |= {f"encode_{name}": codec.encode, f"decode_{name}": codec.decode}
            known[f"value_{name}"], known[f"column_{name}"] = codec.default or (None, None)
            value, stored = codec.sources(name, f"row[{at}]")
            encoded.append(f"{self._names.get(name, name)!r}: {value}")
            decoded.append(f"{name}={stored}")
            at += 1
        columns, arguments = ", ".join(encoded), ", ".join(decoded)
        return (
            eval(f"lambda item, **more: {{{columns}, **more}}", known),  # noqa: S307  (only names)
            eval(f"lambda row, given: record({arguments}, **given)", known),  # noqa: S307
        )


_CODECS = {datetime: Codec(to_micros, from_micros), bool: Codec(int, bool)}


def _codec(hint: Any) -> Codec:
    """Return the conversion for the type of a field; a type that SQL knows needs none."""
    optional = isinstance(hint, UnionType)
    if optional:
        hint = next(each for each in get_args(hint) if each is not NoneType)
    kind = get_origin(hint) or hint
    if kind is tuple:
        return Codec(encode, lambda text: tuple(json.loads(text)), ((), "[]"))
    if kind is Mapping:
        return Codec(
            lambda metadata: encode(dict(metadata)),
            lambda text: FrozenDict(json.loads(text)),
            (NO_METADATA, "{}"),
        )
    codec = _CODECS.get(kind, Codec())
    if issubclass(kind, StrEnum):  # a look-up is five times as fast as calling the enum
        codec = Codec(None, {each.value: each for each in kind}.__getitem__)
    return codec if optional else codec._replace(default=None)
