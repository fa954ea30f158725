"""The base of all values that verbs return, and mappings in them that nobody can change."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, dataclass_transform

from erstwhile.secrets.masking import masked_repr

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

Key = TypeVar("Key")
Value = TypeVar("Value")


class PublicRecord:
    """A value that verbs return. It can be copied, pickled and written as JSON."""

    # What converts and shows records is loaded on first use: most programs start without it.
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = ()
    """The attributes in the `repr` and in tables, as paths; by default all single values."""

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:
        """Return all fields and properties in the types of JSON, as the CLI and HTTP print them.

        `at` is the time of the states of facts; by default now.
        """
        from erstwhile.core.json_values import record_to_json

        return record_to_json(self, at)

    def __repr__(self) -> str:
        from erstwhile.core.record_display import record_line

        return record_line(self)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        """Tell pydantic that `to_dict` is the form outside of Python."""
        from pydantic_core import core_schema  # only pydantic calls this

        written = core_schema.plain_serializer_function_ser_schema(
            cls.to_dict, return_schema=core_schema.dict_schema(core_schema.str_schema())
        )
        return core_schema.is_instance_schema(cls, serialization=written)


_Record = TypeVar("_Record", bound=PublicRecord)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def public_record(kind: type[_Record]) -> type[_Record]:
    """Make a frozen dataclass with keyword arguments, whose `repr` is one line without secrets."""
    return masked_repr(dataclass(frozen=True, slots=True, kw_only=True, repr=False)(kind))


class FrozenDict(dict[Key, Value]):
    """A dict that cannot be changed. It can be copied, pickled and written as JSON like a dict."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_keywords: object) -> NoReturn:
        raise TypeError("this mapping cannot be changed; make a copy with dict(…)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict[Key, Value]], tuple[dict[Key, Value]]]:
        return type(self), (dict(self),)
