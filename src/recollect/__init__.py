"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.bootstrap import open
from recollect.config import Settings
from recollect.memory import Memory
from recollect.model.audit import Change, Entry, Verification
from recollect.model.draft import Draft, draft
from recollect.model.entity import Entity, EntityCard, Neighbour
from recollect.model.erasure import Receipt
from recollect.model.errors import (
    AmbiguousIdError,
    BusyError,
    ClosedError,
    ConflictError,
    CorruptError,
    EditedHistoryError,
    EmbedderError,
    ForkedError,
    InvalidInputError,
    NewerSchemaError,
    NotFoundError,
    RecollectError,
    RefusedError,
    ScopeError,
    StorageError,
    TooLargeError,
)
from recollect.model.fact import Fact, Relation, Source
from recollect.model.kinds import Ending, Kind, Origin, State, Tier, Trust
from recollect.model.page import Page
from recollect.model.recall import (
    Channel,
    Considered,
    Fusion,
    Hit,
    Hits,
    Trace,
    Why,
    WhyNot,
)
from recollect.model.scope import Scope
from recollect.model.stats import Stats

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory

__all__ = [
    "AmbiguousIdError",
    "AsyncMemory",
    "BusyError",
    "Change",
    "Channel",
    "ClosedError",
    "ConflictError",
    "Considered",
    "CorruptError",
    "Draft",
    "EditedHistoryError",
    "EmbedderError",
    "Ending",
    "Entity",
    "EntityCard",
    "Entry",
    "Fact",
    "ForkedError",
    "Fusion",
    "Hit",
    "Hits",
    "InvalidInputError",
    "Kind",
    "Memory",
    "Neighbour",
    "NewerSchemaError",
    "NotFoundError",
    "Origin",
    "Page",
    "Receipt",
    "RecollectError",
    "RefusedError",
    "Relation",
    "Scope",
    "ScopeError",
    "Settings",
    "Source",
    "State",
    "Stats",
    "StorageError",
    "Tier",
    "TooLargeError",
    "Trace",
    "Trust",
    "Verification",
    "Why",
    "WhyNot",
    "draft",
    "open",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """asyncio is slow to import, so AsyncMemory is loaded when it is first asked for."""
    if name == "AsyncMemory":
        from recollect.aio import AsyncMemory

        return AsyncMemory
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")
