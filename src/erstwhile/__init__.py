"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from erstwhile.aio import AsyncMemory
    from erstwhile.blocks.block import Block, BlockChange, Overflow
    from erstwhile.bootstrap import copy, open
    from erstwhile.context.model import (
        Context,
        ContextItem,
        ContextReport,
        HistoryOverflow,
        LeftOut,
        Omission,
        Section,
    )
    from erstwhile.conversations.conversation import (
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
    from erstwhile.conversations.external_session import ExternalSession
    from erstwhile.copying.result import Copied
    from erstwhile.core.errors import (
        AmbiguousIdError,
        BusyError,
        ClosedError,
        ConflictError,
        CorruptError,
        EditedHistoryError,
        EmbedderError,
        ErstwhileError,
        ForkedError,
        InvalidInputError,
        LlmError,
        NewerSchemaError,
        NotFoundError,
        RefusedError,
        ScopeError,
        StorageError,
        TooLargeError,
        UnavailableError,
        UncertainError,
    )
    from erstwhile.core.kinds import Ending, Kind, Origin, State, Tier, Trust
    from erstwhile.core.language import LanguageGuess
    from erstwhile.core.page import Page
    from erstwhile.core.receipt import Receipt
    from erstwhile.core.scope import Scope
    from erstwhile.core.settings import Settings
    from erstwhile.core.stats import Stats
    from erstwhile.decisions.decision import (
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
    from erstwhile.facts.conflict import Conflict
    from erstwhile.facts.draft import Draft, draft
    from erstwhile.facts.entity import Entity, EntityCard, Neighbour
    from erstwhile.facts.fact import Fact, FactChange, Relation, Source
    from erstwhile.facts.quarantine_item import Held
    from erstwhile.facts.usage_signals import Feedback, Judged
    from erstwhile.learning.attempt import Attempt, AttemptChange, AttemptOutcome
    from erstwhile.learning.change import Act
    from erstwhile.learning.observed import Observed
    from erstwhile.learning.progress import Waiting
    from erstwhile.learning.status import LearningStatus
    from erstwhile.memory import Memory
    from erstwhile.profile.identity import Identity
    from erstwhile.profile.stages import OnboardingStage
    from erstwhile.recall.hits import Channel, Considered, Fusion, Hit, Hits, Trace, Why, WhyNot
    from erstwhile.records.lesson import Lesson
    from erstwhile.records.limitation import Limitation, LimitationStatus
    from erstwhile.records.observation import Observation, ObservationType
    from erstwhile.records.outcome import Outcome, OutcomeTally
    from erstwhile.storage.audit_chain import Entry, Verification
    from erstwhile.tasks.checkpoint import Checkpoint, CheckpointStatus, RunProgress
    from erstwhile.tasks.task import (
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
    from erstwhile.usage.entry import UsageEntry, UsagePeriod, UsageSummary
    from erstwhile.usage.prices import Price

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
    "ErstwhileError",
    "Exchange",
    "ExternalSession",
    "Fact",
    "FactChange",
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
    "core.settings": "Settings",
    "memory": "Memory",
    "learning.attempt": "Attempt AttemptChange AttemptOutcome",
    "storage.audit_chain": "Entry Verification",
    "blocks.block": "Block BlockChange Overflow",
    "learning.change": "Act",
    "tasks.checkpoint": "Checkpoint CheckpointStatus RunProgress",
    "facts.conflict": "Conflict",
    "context.model": "Context ContextItem ContextReport HistoryOverflow LeftOut Omission Section",
    "conversations.conversation": (
        "Compaction Conversation ConversationStats ConversationStatus Exchange Message "
        "MessageHit Role Transcript"
    ),
    "copying.result": "Copied",
    "decisions.decision": (
        "Advice Choice Decider Decision DecisionHit DecisionOutcome DecisionRequest FoundBy "
        "Lasting Namespace Suggestion"
    ),
    "facts.draft": "Draft draft",
    "facts.entity": "Entity EntityCard Neighbour",
    "core.receipt": "Receipt",
    "core.errors": (
        "AmbiguousIdError BusyError ClosedError ConflictError CorruptError EditedHistoryError "
        "EmbedderError ForkedError InvalidInputError LlmError NewerSchemaError NotFoundError "
        "ErstwhileError RefusedError ScopeError StorageError TooLargeError UnavailableError "
        "UncertainError"
    ),
    "facts.fact": "Fact FactChange Relation Source",
    "facts.quarantine_item": "Held",
    "profile.identity": "Identity",
    "core.kinds": "Ending Kind Origin State Tier Trust",
    "core.language": "LanguageGuess",
    "learning.status": "LearningStatus",
    "records.lesson": "Lesson",
    "records.limitation": "Limitation LimitationStatus",
    "records.observation": "Observation ObservationType",
    "learning.observed": "Observed",
    "profile.stages": "OnboardingStage",
    "records.outcome": "Outcome OutcomeTally",
    "core.page": "Page",
    "usage.prices": "Price",
    "learning.progress": "Waiting",
    "recall.hits": "Channel Considered Fusion Hit Hits Trace Why WhyNot",
    "core.scope": "Scope",
    "conversations.external_session": "ExternalSession",
    "core.stats": "Stats",
    "tasks.task": (
        "AfterFailure Claim Failure RunStatus Scheduled SimilarTask Task TaskRun TaskStatus "
        "TaskType"
    ),
    "usage.entry": "UsageEntry UsagePeriod UsageSummary",
    "facts.usage_signals": "Feedback Judged",
}
"""Where the public names are made."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """A name is loaded when it is first asked for, so that a program pays for what it uses."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'erstwhile' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"erstwhile.{_HOME_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
