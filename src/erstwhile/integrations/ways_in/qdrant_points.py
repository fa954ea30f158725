"""Points of a local Qdrant store, in which mem0 keeps its memories: SQLite rows with pickles.

Unpickling may run any code that a file names. So the reader here knows one class, the point, and
makes a plain object of it. A pickle that names anything else is refused.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.integrations.conversation_import import UnreadablePart
from erstwhile.integrations.ways_in.files import ForeignDatabase

TABLE = "points"
_POINT = ("qdrant_client.http.models.models", "PointStruct")
_LARGEST = 10_000_000
"""The length in bytes up to which a point is read."""


class _Point:
    """A point as it was stored: its fields, without any code of its own."""

    fields: Mapping[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        fields = state.get("__dict__") if isinstance(state, dict) else None
        self.fields = fields if isinstance(fields, dict) else {}


class _PointReader(pickle.Unpickler):
    """Reads a pickle of plain values and points."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == _POINT:
            return _Point
        raise pickle.UnpicklingError(f"it names {module}.{name}"[:100])


def points_in(file: Path) -> Iterator[tuple[str, Mapping[str, Any]] | UnreadablePart]:
    """Yield the id and the payload of each point, or a part that cannot be read safely."""
    for number, row in enumerate(ForeignDatabase(file).rows(TABLE, "id", "point"), 1):
        try:
            fields = _read(row["point"])
        except Exception as error:  # a wrong pickle can raise anything
            yield UnreadablePart(place=f"point {number}", reason=f"it is not read: {error}"[:200])
            continue
        payload = fields.get("payload")
        if isinstance(payload, dict):
            yield str(fields.get("id")), payload


def _read(stored: Any) -> Mapping[str, Any]:
    if not isinstance(stored, bytes) or len(stored) > _LARGEST:
        raise pickle.UnpicklingError("it is no point")
    point = _PointReader(io.BytesIO(stored)).load()
    if not isinstance(point, _Point):
        raise pickle.UnpicklingError("it is no point")
    return point.fields
