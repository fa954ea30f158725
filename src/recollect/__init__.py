"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory
    from recollect.bootstrap import copy, open
    from recollect.config import Settings
    from recollect.memory import Memory
    from recollect.model.audit import Change, Entry, Verification
    from recollect.model.block import Block, BlockChange, Overflow
    from recollect.model.copied import Copied
    from recollect.model.decision import (
        Advice,
        Choice,
        Decider,
        Decision,
        DecisionHit,
        DecisionRequest,
        FoundBy,
        Lasting,
        Namespace,
        Outcome,
        Suggestion,
    )
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
        UnavailableError,
        UncertainError,
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

__all__ = [
    "Advice",
    "AmbiguousIdError",
    "AsyncMemory",
    "Block",
    "BlockChange",
    "BusyError",
    "Change",
    "Channel",
    "Choice",
    "ClosedError",
    "ConflictError",
    "Considered",
    "Copied",
    "CorruptError",
    "Decider",
    "Decision",
    "DecisionHit",
    "DecisionRequest",
    "Draft",
    "EditedHistoryError",
    "EmbedderError",
    "Ending",
    "Entity",
    "EntityCard",
    "Entry",
    "Fact",
    "ForkedError",
    "FoundBy",
    "Fusion",
    "Hit",
    "Hits",
    "InvalidInputError",
    "Kind",
    "Lasting",
    "Memory",
    "Namespace",
    "Neighbour",
    "NewerSchemaError",
    "NotFoundError",
    "Origin",
    "Outcome",
    "Overflow",
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
    "Suggestion",
    "Tier",
    "TooLargeError",
    "Trace",
    "Trust",
    "UnavailableError",
    "UncertainError",
    "Verification",
    "Why",
    "WhyNot",
    "copy",
    "draft",
    "open",
]

__version__ = "0.1.0"


_HOMES = (
    "bootstrap", "memory", "model.audit", "model.decision", "model.draft", "model.entity",
    "model.block", "model.copied", "model.erasure", "model.errors", "model.fact", "model.kinds",
    "model.page", "model.recall", "model.scope", "model.stats", "config", "aio",
)  # fmt: skip
"""Where the public names are made, the most asked for first."""


def __getattr__(name: str) -> object:
    """A name is loaded when it is first asked for, so that a program pays for what it uses."""
    if name in __all__:
        for home in _HOMES:
            found = getattr(import_module(f"recollect.{home}"), name, None)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
