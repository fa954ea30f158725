"""Access to all scopes of a store, for operations on the whole memory."""

from __future__ import annotations

from erstwhile.core.ports import Clock, Engine
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access


def full_access(engine: Engine, clock: Clock | None = None, name: str | None = None) -> Access:
    viewer = Viewer(everything=True, name=name)
    return Access(engine, clock or SystemClock(), viewer, LazyAnalyser())
