"""The base of all values that verbs return: their JSON form, and how they look in a shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from erstwhile.core.json_values import SINGLE, single_value
from erstwhile.secrets.masking import mask_text, masked_repr

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

_REPEATED = frozenset({"searched", "timestamp", "fact", "message"})
"""Properties of records and hits that repeat another field of them."""
_MAX_TEXT = 80
_MAX_LINE = 240
_MAX_CELL = 400


class PublicRecord:
    """A value that verbs return. It can be copied, pickled and written as JSON."""

    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = ()
    """The attributes in the `repr` and in tables, as paths; by default all single values."""

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:
        """Return all fields and properties in the types of JSON, as the CLI and HTTP print them.

        `at` is the time of the states of facts; by default now.
        """
        return _attributes_to_dict(self, at)

    def __repr__(self) -> str:
        return _record_line(self)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        """Tell pydantic that `to_dict` is the form outside of Python."""
        from pydantic_core import core_schema  # only pydantic calls this

        written = core_schema.plain_serializer_function_ser_schema(
            cls.to_dict, return_schema=core_schema.dict_schema(core_schema.str_schema())
        )
        return core_schema.is_instance_schema(cls, serialization=written)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
        """Return the JSON schema of models and routes that have a record."""
        if core["type"] != "is-instance":  # a page, which pydantic knows by its fields
            return handler(core)
        return {"type": "object", "title": cls.__name__, "additionalProperties": True}


_Record = TypeVar("_Record", bound=PublicRecord)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def public_record(kind: type[_Record]) -> type[_Record]:
    """Make a frozen dataclass with keyword arguments, whose `repr` is one line without secrets."""
    return masked_repr(dataclass(frozen=True, slots=True, kw_only=True, repr=False)(kind))


def to_json(value: Any, at: datetime | None = None) -> Any:
    """Convert a value to JSON types. `at` is the time of the states of facts; by default now."""
    if isinstance(value, SINGLE):
        return single_value(value)
    if isinstance(value, PublicRecord):
        return value.to_dict(at)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return tuple_to_dict(value, at)
    if isinstance(value, Mapping):
        return {single_value(name): to_json(each, at) for name, each in value.items()}
    if isinstance(value, Iterable):
        return [to_json(each, at) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _attributes_to_dict(value, at)
    raise TypeError(f"not a record: {type(value).__name__}")


def _attributes_to_dict(value: Any, at: datetime | None) -> dict[str, Any]:
    """Return the fields and the properties of a dataclass in the types of JSON."""
    names = (*(each.name for each in fields(value)), *derived_names(value.__class__))
    return {name: to_json(getattr(value, name), at) for name in names}


def tuple_to_dict(named: Any, at: datetime | None = None) -> dict[str, Any]:
    """Return a named tuple in the types of JSON: an object with its fields."""
    return {name: to_json(each, at) for name, each in named._asdict().items()}


@cache
def derived_names(kind: type) -> tuple[str, ...]:
    """Return the properties of a record that its JSON form has besides its fields."""
    found = (name for name in dir(kind) if isinstance(getattr(kind, name), property))
    return tuple(name for name in found if name not in _REPEATED and not name.startswith("_"))


def optional_in(kind: type) -> frozenset[str]:
    """Return the fields that the JSON form of a record may lack: those that it is not equal by."""
    declared = fields(kind) if is_dataclass(kind) else ()
    return frozenset(each.name for each in declared if not each.compare)


def _record_line(record: PublicRecord) -> str:
    """Return a record on one line, such as `<Fact 019a3f2e live preference "…">`."""
    values, bare = _shown_values(record).items(), bool(record._shown)  # noqa: SLF001
    parts = [_part(name, value, bare) for name, value in values if value is not None]
    return f"<{_cut(' '.join((type(record).__name__, *parts)), _MAX_LINE)}>"


def _shown_values(record: Any) -> Mapping[str, Any]:
    """Return what a line or a row shows of a record, by the path of its attribute."""
    if names := type(record)._shown:  # noqa: SLF001
        return {name: _attribute(record, name) for name in names}
    values = ((each.name, getattr(record, each.name)) for each in fields(record))
    counted = ((name, len(each) if isinstance(each, tuple) else each) for name, each in values)
    return {name: each for name, each in counted if isinstance(each, SINGLE) and each != ""}


def _attribute(record: Any, path: str) -> Any:
    """Return an attribute, or None if it cannot be read: a `repr` never fails."""
    try:
        return attrgetter(path)(record)
    except Exception:
        return None


def _shown_text(value: Any) -> str:
    """Return a value on one line without secrets and without characters that do harm there."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, float):
        return f"{value:.3g}"
    single = single_value(value) if isinstance(value, SINGLE) else value
    words = " ".join(mask_text(str(single)).split())
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in words)


def _cut(text: str, longest: int) -> str:
    """Return a text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _part(path: str, value: Any, bare: bool) -> str:
    """Return one value in a line: ids and kinds as they are, texts quoted; `bare` without names."""
    name, text = path.rpartition(".")[2], _cut(_shown_text(value), _MAX_TEXT)
    if isinstance(value, Enum) or name == "short_id" or not isinstance(value, SINGLE):
        return text
    text = f'"{text}"' if isinstance(value, str) else text
    return text if bare and isinstance(value, str) and name != "key" else f"{name}={text}"


def html_table(records: Sequence[Any], caption: str) -> str:
    """Return a table of records for notebooks. Memory is hostile text: every cell is escaped.

    A column without any value is left out.
    """
    rows = [_cells(each) for each in records]
    names = dict.fromkeys(name for row in rows for name, cell in row.items() if cell)
    head = "".join(f"<th>{_escaped(_heading(name, names))}</th>" for name in names)
    lines = ("".join(f"<td>{_escaped(row.get(name, ''))}</td>" for name in names) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in (head, *lines) if line)
    return f"<table><caption>{_escaped(caption)}</caption>{body}</table>"


def _heading(path: str, others: Iterable[str]) -> str:
    """Return the name of a column: the last part of its path if no other column ends so."""
    first, last = path.split(".")[0], path.rpartition(".")[2]
    is_unique = sum(each.rpartition(".")[2] == last for each in others) == 1
    return last.removeprefix("short_") if is_unique else first


def html_text(text: str) -> str:
    """Return a text of several lines for notebooks, folded until somebody opens it."""
    shown = "".join(each if each.isprintable() or each == "\n" else " " for each in mask_text(text))
    return f"<details><summary>text</summary><pre>{_escaped(shown)}</pre></details>"


def _cells(record: Any) -> dict[str, str]:
    """Return the cells of a row by the name of their column."""
    if not isinstance(record, PublicRecord):
        return {"value": _cut(_shown_text(record), _MAX_CELL)}
    return {
        name: "" if value is None else _cut(_shown_text(value), _MAX_CELL)
        for name, value in _shown_values(record).items()
    }


def _escaped(text: str) -> str:
    from html import escape  # a program without a notebook does not need it

    return escape(text)
