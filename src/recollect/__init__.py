"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory
    from recollect.bootstrap import copy, open
    from recollect.config import Settings
    from recollect.memory import Memory
    from recollect.model.attempt import Attempt, AttemptChange, AttemptOutcome
    from recollect.model.audit import Change, Entry, Verification
    from recollect.model.block import Block, BlockChange, Overflow
    from recollect.model.change import Act
    from recollect.model.checkpoint import Checkpoint, CheckpointStatus, RunProgress
    from recollect.model.conflict import Conflict
    from recollect.model.context import (
        Context,
        ContextItem,
        ContextReport,
        HistoryOverflow,
        LeftOut,
        Omission,
        Section,
    )
    from recollect.model.conversation import (
        Compaction,
        Conversation,
        ConversationStats,
        ConversationStatus,
        Exchange,
        Message,
        MessageHit,
        Role,
        Transcript,
    )
    from recollect.model.copied import Copied
    from recollect.model.decision import (
        Advice,
        Choice,
        Decider,
        Decision,
        DecisionHit,
        DecisionOutcome,
        DecisionRequest,
        FoundBy,
        Lasting,
        Namespace,
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
        LlmError,
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
    from recollect.model.held import Held
    from recollect.model.identity import Identity
    from recollect.model.kinds import Ending, Kind, Origin, State, Tier, Trust
    from recollect.model.language import LanguageGuess
    from recollect.model.learning_status import LearningStatus
    from recollect.model.lesson import Lesson
    from recollect.model.limitation import Limitation, LimitationStatus
    from recollect.model.observation import Observation, ObservationType
    from recollect.model.observed import Observed
    from recollect.model.onboarding import OnboardingStage
    from recollect.model.outcome import Outcome, OutcomeTally
    from recollect.model.page import Page
    from recollect.model.prices import Price
    from recollect.model.progress import Waiting
    from recollect.model.recall import Channel, Considered, Fusion, Hit, Hits, Trace, Why, WhyNot
    from recollect.model.scope import Scope
    from recollect.model.session import ExternalSession
    from recollect.model.stats import Stats
    from recollect.model.task import (
        AfterFailure,
        Claim,
        Failure,
        RunStatus,
        Scheduled,
        SimilarTask,
        Task,
        TaskRun,
        TaskStatus,
        TaskType,
    )
    from recollect.model.usage import UsageEntry, UsagePeriod, UsageSummary
    from recollect.model.use import Feedback, Judged

__all__ = [
    "Act",
    "Advice",
    "AfterFailure",
    "AmbiguousIdError",
    "AsyncMemory",
    "Attempt",
    "AttemptChange",
    "AttemptOutcome",
    "Block",
    "BlockChange",
    "BusyError",
    "Change",
    "Channel",
    "Checkpoint",
    "CheckpointStatus",
    "Choice",
    "Claim",
    "ClosedError",
    "Compaction",
    "Conflict",
    "ConflictError",
    "Considered",
    "Context",
    "ContextItem",
    "ContextReport",
    "Conversation",
    "ConversationStats",
    "ConversationStatus",
    "Copied",
    "CorruptError",
    "Decider",
    "Decision",
    "DecisionHit",
    "DecisionOutcome",
    "DecisionRequest",
    "Draft",
    "EditedHistoryError",
    "EmbedderError",
    "Ending",
    "Entity",
    "EntityCard",
    "Entry",
    "Exchange",
    "ExternalSession",
    "Fact",
    "Failure",
    "Feedback",
    "ForkedError",
    "FoundBy",
    "Fusion",
    "Held",
    "HistoryOverflow",
    "Hit",
    "Hits",
    "Identity",
    "InvalidInputError",
    "Judged",
    "Kind",
    "LanguageGuess",
    "Lasting",
    "LearningStatus",
    "LeftOut",
    "Lesson",
    "Limitation",
    "LimitationStatus",
    "LlmError",
    "Memory",
    "Message",
    "MessageHit",
    "Namespace",
    "Neighbour",
    "NewerSchemaError",
    "NotFoundError",
    "Observation",
    "ObservationType",
    "Observed",
    "Omission",
    "OnboardingStage",
    "Origin",
    "Outcome",
    "OutcomeTally",
    "Overflow",
    "Page",
    "Price",
    "Receipt",
    "RecollectError",
    "RefusedError",
    "Relation",
    "Role",
    "RunProgress",
    "RunStatus",
    "Scheduled",
    "Scope",
    "ScopeError",
    "Section",
    "Settings",
    "SimilarTask",
    "Source",
    "State",
    "Stats",
    "StorageError",
    "Suggestion",
    "Task",
    "TaskRun",
    "TaskStatus",
    "TaskType",
    "Tier",
    "TooLargeError",
    "Trace",
    "Transcript",
    "Trust",
    "UnavailableError",
    "UncertainError",
    "UsageEntry",
    "UsagePeriod",
    "UsageSummary",
    "Verification",
    "Waiting",
    "Why",
    "WhyNot",
    "copy",
    "draft",
    "open",
]

__version__ = "0.1.0"


_HOMES = {
    "aio": "AsyncMemory",
    "bootstrap": "copy open",
    "config": "Settings",
    "memory": "Memory",
    "model.attempt": "Attempt AttemptChange AttemptOutcome",
    "model.audit": "Change Entry Verification",
    "model.block": "Block BlockChange Overflow",
    "model.change": "Act",
    "model.checkpoint": "Checkpoint CheckpointStatus RunProgress",
    "model.conflict": "Conflict",
    "model.context": "Context ContextItem ContextReport HistoryOverflow LeftOut Omission Section",
    "model.conversation": (
        "Compaction Conversation ConversationStats ConversationStatus Exchange Message "
        "MessageHit Role Transcript"
    ),
    "model.copied": "Copied",
    "model.decision": (
        "Advice Choice Decider Decision DecisionHit DecisionOutcome DecisionRequest FoundBy "
        "Lasting Namespace Suggestion"
    ),
    "model.draft": "Draft draft",
    "model.entity": "Entity EntityCard Neighbour",
    "model.erasure": "Receipt",
    "model.errors": (
        "AmbiguousIdError BusyError ClosedError ConflictError CorruptError EditedHistoryError "
        "EmbedderError ForkedError InvalidInputError LlmError NewerSchemaError NotFoundError "
        "RecollectError RefusedError ScopeError StorageError TooLargeError UnavailableError "
        "UncertainError"
    ),
    "model.fact": "Fact Relation Source",
    "model.held": "Held",
    "model.identity": "Identity",
    "model.kinds": "Ending Kind Origin State Tier Trust",
    "model.language": "LanguageGuess",
    "model.learning_status": "LearningStatus",
    "model.lesson": "Lesson",
    "model.limitation": "Limitation LimitationStatus",
    "model.observation": "Observation ObservationType",
    "model.observed": "Observed",
    "model.onboarding": "OnboardingStage",
    "model.outcome": "Outcome OutcomeTally",
    "model.page": "Page",
    "model.prices": "Price",
    "model.progress": "Waiting",
    "model.recall": "Channel Considered Fusion Hit Hits Trace Why WhyNot",
    "model.scope": "Scope",
    "model.session": "ExternalSession",
    "model.stats": "Stats",
    "model.task": (
        "AfterFailure Claim Failure RunStatus Scheduled SimilarTask Task TaskRun TaskStatus "
        "TaskType"
    ),
    "model.usage": "UsageEntry UsagePeriod UsageSummary",
    "model.use": "Feedback Judged",
}
"""Where the public names are made."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """A name is loaded when it is first asked for, so that a program pays for what it uses."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"recollect.{_HOME_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
