"""Opening a memory: the one place that names concrete classes."""

from __future__ import annotations

from datetime import UTC, datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING

from recollect.config import Settings, load_settings
from recollect.memory import Memory
from recollect.model.errors import InvalidInputError
from recollect.model.scope import Viewer
from recollect.model.text import checked_text
from recollect.store.access import Access

if TYPE_CHECKING:
    from recollect.ports import Clock, Engine

_LONGEST_PATH = 10_000


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def open(
    location: str | PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    actor: str | None = None,
) -> Memory:
    """Open a memory, and make it if it is not there: a file's path, or ":memory:".

    Without a location, the settings say where it is. `actor` is the name that the audit trail gives
    to what is done through this memory; by default the agent or the user of its scope.
    """
    chosen = settings or load_settings()
    place = chosen.location if location is None else fspath(location)
    viewer = Viewer(name=actor)
    return Memory(Access(_engine(place, chosen), clock or SystemClock(), viewer))


def _engine(place: str, settings: Settings) -> Engine:
    checked_text(place, name="the location", limit=_LONGEST_PATH)
    if "://" in place:
        raise InvalidInputError(
            f"{place.split('://')[0]} is not an engine of this version",
            remedy="give a file's path, or ':memory:'",
        )
    # Loaded here, so that `import recollect` costs little.
    from recollect.engine.sqlite import SqliteEngine

    return SqliteEngine(place, synchronous=settings.synchronous, busy_timeout=settings.busy_timeout)
