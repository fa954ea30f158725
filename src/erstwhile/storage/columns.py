"""The conversion of values for columns: times, metadata as JSON, and scopes.

A row that cannot be decoded is damaged: `decodes` turns what then fails into a CorruptError.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache, wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

from erstwhile.core.errors import CorruptError, InvalidInputError
from erstwhile.core.metadata import NO_METADATA
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.core.time import from_micros, to_micros

Others = ParamSpec("Others")
Item = TypeVar("Item")

UNDECODABLE = (
    LookupError, TypeError, ValueError, AttributeError, RecursionError, CorruptError,
    InvalidInputError,
)  # fmt: skip
"""What fails when a value is not what was stored."""

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def decodes(
    noun: str, *, id_at: int = 0
) -> Callable[[Callable[Concatenate[Row, Others], Item]], Callable[Concatenate[Row, Others], Item]]:
    """Return a decorator for a function that makes a record from a row."""

    def decorate(
        function: Callable[Concatenate[Row, Others], Item],
    ) -> Callable[Concatenate[Row, Others], Item]:
        @wraps(function)
        def decoded(row: Row, /, *others: Others.args, **named: Others.kwargs) -> Item:
            try:
                return function(row, *others, **named)
            except UNDECODABLE as error:
                raise damaged(noun, row[id_at]) from error

        return decoded

    return decorate


def damaged(noun: str, id: object) -> CorruptError:
    """Return the error for a record that cannot be decoded."""
    return CorruptError(f"the {noun} {id} is damaged", remedy="restore a copy")


def micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def metadata_text(metadata: Mapping[str, Any]) -> str:
    return encode(dict(metadata)) if metadata else "{}"


def metadata(text: str) -> Mapping[str, Any]:
    return NO_METADATA if text == "{}" else MappingProxyType(json.loads(text))


def to_scope(user: str, agent: str, project: str, session: str) -> Scope:
    return _scope(user, agent, project, session)


@lru_cache(maxsize=1_024)
def _scope(user: str, agent: str, project: str, session: str) -> Scope:
    return Scope(
        user=user or None, agent=agent or None, project=project or None, session=session or None
    )
