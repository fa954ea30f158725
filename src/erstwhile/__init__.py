"""Long-term memory for AI agents, in one file.

Begin with `open`. The names that most programs need are here; all other types are in
`erstwhile.types`. Each name is imported on first use, so that a program pays for what it uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from erstwhile.lazy_names import LazyNames

if TYPE_CHECKING:
    from erstwhile import types as types
    from erstwhile.aio import AsyncMemory as AsyncMemory
    from erstwhile.blocks.block import Block as Block
    from erstwhile.bootstrap import open as open
    from erstwhile.context.model import Context as Context
    from erstwhile.conversations.conversation import (
        Conversation as Conversation,
    )
    from erstwhile.conversations.conversation import (
        Message as Message,
    )
    from erstwhile.core.errors import (
        AmbiguousIdError as AmbiguousIdError,
    )
    from erstwhile.core.errors import (
        AmbiguousTextError as AmbiguousTextError,
    )
    from erstwhile.core.errors import (
        BusyError as BusyError,
    )
    from erstwhile.core.errors import (
        ClockError as ClockError,
    )
    from erstwhile.core.errors import (
        ClosedError as ClosedError,
    )
    from erstwhile.core.errors import (
        ConflictError as ConflictError,
    )
    from erstwhile.core.errors import (
        CorruptError as CorruptError,
    )
    from erstwhile.core.errors import (
        EditedHistoryError as EditedHistoryError,
    )
    from erstwhile.core.errors import (
        EmbedderError as EmbedderError,
    )
    from erstwhile.core.errors import (
        ErstwhileError as ErstwhileError,
    )
    from erstwhile.core.errors import (
        ForkedError as ForkedError,
    )
    from erstwhile.core.errors import (
        InvalidInputError as InvalidInputError,
    )
    from erstwhile.core.errors import (
        KeyMissingError as KeyMissingError,
    )
    from erstwhile.core.errors import (
        LlmError as LlmError,
    )
    from erstwhile.core.errors import (
        NewerSchemaError as NewerSchemaError,
    )
    from erstwhile.core.errors import (
        NotFoundError as NotFoundError,
    )
    from erstwhile.core.errors import (
        PurgedError as PurgedError,
    )
    from erstwhile.core.errors import (
        ReadOnlyError as ReadOnlyError,
    )
    from erstwhile.core.errors import (
        RefusedError as RefusedError,
    )
    from erstwhile.core.errors import (
        ScopeError as ScopeError,
    )
    from erstwhile.core.errors import (
        StorageError as StorageError,
    )
    from erstwhile.core.errors import (
        TooLargeError as TooLargeError,
    )
    from erstwhile.core.errors import (
        UnavailableError as UnavailableError,
    )
    from erstwhile.core.errors import (
        UncertainError as UncertainError,
    )
    from erstwhile.core.errors import (
        WrongKeyError as WrongKeyError,
    )
    from erstwhile.core.hits import Hits as Hits
    from erstwhile.core.page import Page as Page
    from erstwhile.core.receipt import Receipt as Receipt
    from erstwhile.core.scope import Scope as Scope
    from erstwhile.core.settings import Settings as Settings
    from erstwhile.decisions.decision import (
        Decision as Decision,
    )
    from erstwhile.decisions.decision import (
        DecisionRequest as DecisionRequest,
    )
    from erstwhile.facts.draft import Draft as Draft
    from erstwhile.facts.draft import draft as draft
    from erstwhile.facts.fact import Fact as Fact
    from erstwhile.keeping import backup as backup
    from erstwhile.keeping import copy as copy
    from erstwhile.keeping import doctor as doctor
    from erstwhile.keeping import export as export
    from erstwhile.keeping import import_file as import_file
    from erstwhile.keeping import rekey as rekey
    from erstwhile.keeping import repair as repair
    from erstwhile.keeping import restore as restore
    from erstwhile.memory import Memory as Memory
    from erstwhile.recall.hits import Hit as Hit
    from erstwhile.records.model import Lesson as Lesson
    from erstwhile.records.model import Limitation as Limitation
    from erstwhile.records.model import Observation as Observation
    from erstwhile.records.model import Outcome as Outcome
    from erstwhile.tasks.checkpoint import Checkpoint as Checkpoint
    from erstwhile.tasks.task import Task as Task
    from erstwhile.usage.entry import UsageEntry as UsageEntry

__version__ = "0.1.0"

_NAMES = LazyNames(
    __name__,
    {
        "aio": "AsyncMemory",
        "blocks.block": "Block",
        "bootstrap": "open",
        "context.model": "Context",
        "conversations.conversation": "Conversation Message",
        "core.errors": (
            "AmbiguousIdError AmbiguousTextError BusyError ClockError ClosedError ConflictError "
            "CorruptError "
            "EditedHistoryError EmbedderError ErstwhileError ForkedError InvalidInputError "
            "KeyMissingError LlmError NewerSchemaError NotFoundError PurgedError ReadOnlyError "
            "RefusedError ScopeError StorageError TooLargeError UnavailableError UncertainError "
            "WrongKeyError"
        ),
        "core.page": "Page",
        "core.receipt": "Receipt",
        "core.scope": "Scope",
        "core.settings": "Settings",
        "decisions.decision": "Decision DecisionRequest",
        "facts.draft": "Draft draft",
        "facts.fact": "Fact",
        "keeping": "backup copy doctor export import_file rekey repair restore",
        "memory": "Memory",
        "core.hits": "Hits",
        "recall.hits": "Hit",
        "records.model": "Lesson Limitation Observation Outcome",
        "tasks.checkpoint": "Checkpoint",
        "tasks.task": "Task",
        "usage.entry": "UsageEntry",
    },
)
__all__ = sorted(_NAMES.homes)


def __getattr__(name: str) -> object:
    return import_module("erstwhile.types") if name == "types" else _NAMES.load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
