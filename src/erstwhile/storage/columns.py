"""The conversion of values for columns: times, metadata as JSON, and scopes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from erstwhile.core.metadata import NO_METADATA
from erstwhile.core.scope import Scope
from erstwhile.core.time import from_micros, to_micros

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


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
