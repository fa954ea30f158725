"""Items of a LangGraph store: as JSON, or the SQLite file of `SqliteStore`.

An item has a namespace, a key and a JSON value. Programs put memories into it in their own way: the
text is in a field with a usual name, or the fields together state something.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact, facts_of
from erstwhile.integrations.ways_in.files import (
    ForeignDatabase,
    is_database,
    list_of,
    object_of,
    read_json,
    text_of,
    time_of,
)

_TEXTS = ("text", "content", "memory", "data", "value", "fact")
"""The fields in which programs put the text of a memory, the most usual first."""


def read(file: Path) -> Arrivals:
    """Return a fact for each item."""
    items: Iterable[Any] = _rows(file) if is_database(file) else list_of(read_json(file))
    return facts_of(enumerate(items, 1), lambda item: _facts(object_of(item)), "item")


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for row in ForeignDatabase(file).rows("store", "prefix", "key", "value"):
        yield {**row, "namespace": str(row["prefix"]).split(".")}


def _facts(item: Mapping[str, Any]) -> Iterator[ForeignFact]:
    namespace = [str(part) for part in list_of(item.get("namespace"))]
    key, text = str(item.get("key") or ""), _text(object_of(item.get("value")))
    if not text:
        return
    yield ForeignFact(
        id="/".join([*namespace, key]),
        text=text,
        tags=_tags(namespace),
        since=time_of(item.get("updated_at") or item.get("created_at")),
    )


def _tags(namespace: Sequence[str]) -> list[str]:
    """Return the namespace as one label, if it can be one."""
    label = "/".join(namespace)
    return [label] if 0 < len(label) <= 100 and label.isprintable() else []


def _text(value: Mapping[str, Any]) -> str:
    for name in _TEXTS:
        if text := text_of(value.get(name)):
            return text
    return "; ".join(_stated(value, ()))


def _stated(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield "name: value" for each plain field, also of inner objects."""
    for name, each in value.items():
        place = (*path, str(name))
        if isinstance(each, dict):
            yield from _stated(each, place)
        elif isinstance(each, str | int | float) and not isinstance(each, bool) and str(each):
            yield f"{' '.join(place)}: {each}"
        elif isinstance(each, list) and each:
            yield f"{' '.join(place)}: {json.dumps(each, ensure_ascii=False)}"
