"""A quick look at an existing memory, for the hook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from erstwhile.core.clock import SystemClock
from erstwhile.core.errors import NotFoundError
from erstwhile.core.scope import DIMENSIONS, Scope, Viewer
from erstwhile.core.settings import Settings
from erstwhile.engines.selection import engine_at
from erstwhile.storage.access import Access


@contextmanager
def look(settings: Settings, *, patience: float) -> Iterator[Access]:
    """Open an existing memory in the scope of the settings; create none.

    Wait at most `patience` seconds for another process that holds the store.
    """
    place = settings.location
    if "://" not in place and not Path(place).expanduser().is_file():
        raise NotFoundError(f"there is no memory at {place}", remedy="record something first")
    hurried = replace(settings, busy_timeout=min(patience, settings.busy_timeout))
    engine = engine_at(place, hurried)
    scope = {name: getattr(settings, name) for name in DIMENSIONS}
    try:
        yield Access(engine, SystemClock(), Viewer(scope=Scope(**scope)), str.split)
    finally:
        engine.close()
