"""The types of values that the verbs of a memory return or accept, besides those of `erstwhile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.lazy_names import LazyNames

if TYPE_CHECKING:
    from erstwhile.backups.backup import Backup as Backup
    from erstwhile.backups.restore import Restored as Restored
    from erstwhile.blocks.block import BlockChange as BlockChange
    from erstwhile.blocks.block import Overflow as Overflow
    from erstwhile.context.model import (
        ContextItem as ContextItem,
    )
    from erstwhile.context.model import (
        ContextReport as ContextReport,
    )
    from erstwhile.context.model import (
        HistoryOverflow as HistoryOverflow,
    )
    from erstwhile.context.model import (
        LeftOut as LeftOut,
    )
    from erstwhile.context.model import (
        Omission as Omission,
    )
    from erstwhile.context.model import (
        Section as Section,
    )
    from erstwhile.conversations.conversation import (
        Compaction as Compaction,
    )
    from erstwhile.conversations.conversation import (
        ConversationStats as ConversationStats,
    )
    from erstwhile.conversations.conversation import (
        ConversationStatus as ConversationStatus,
    )
    from erstwhile.conversations.conversation import (
        Exchange as Exchange,
    )
    from erstwhile.conversations.conversation import ExternalSession as ExternalSession
    from erstwhile.conversations.conversation import (
        Role as Role,
    )
    from erstwhile.conversations.conversation import (
        Transcript as Transcript,
    )
    from erstwhile.copying.copy import Copied as Copied
    from erstwhile.core.background import BackgroundFailure as BackgroundFailure
    from erstwhile.core.flushed import Flushed as Flushed
    from erstwhile.core.hits import Trace as Trace
    from erstwhile.core.kinds import (
        Ending as Ending,
    )
    from erstwhile.core.kinds import (
        Kind as Kind,
    )
    from erstwhile.core.kinds import (
        Origin as Origin,
    )
    from erstwhile.core.kinds import (
        State as State,
    )
    from erstwhile.core.kinds import (
        TextKind as TextKind,
    )
    from erstwhile.core.kinds import (
        Tier as Tier,
    )
    from erstwhile.core.kinds import (
        Trust as Trust,
    )
    from erstwhile.core.language import LanguageGuess as LanguageGuess
    from erstwhile.core.receipt import Erasure as Erasure
    from erstwhile.core.retention import Retained as Retained
    from erstwhile.core.stats import Stats as Stats
    from erstwhile.decisions.decision import (
        Advice as Advice,
    )
    from erstwhile.decisions.decision import (
        Choice as Choice,
    )
    from erstwhile.decisions.decision import (
        Coverage as Coverage,
    )
    from erstwhile.decisions.decision import (
        Decider as Decider,
    )
    from erstwhile.decisions.decision import (
        DecisionHit as DecisionHit,
    )
    from erstwhile.decisions.decision import (
        DecisionOutcome as DecisionOutcome,
    )
    from erstwhile.decisions.decision import (
        FoundBy as FoundBy,
    )
    from erstwhile.decisions.decision import (
        Lasting as Lasting,
    )
    from erstwhile.decisions.decision import (
        Namespace as Namespace,
    )
    from erstwhile.decisions.decision import (
        Suggestion as Suggestion,
    )
    from erstwhile.examining.diagnosis import Diagnosis as Diagnosis
    from erstwhile.examining.diagnosis import Health as Health
    from erstwhile.examining.diagnosis import HealthCheck as HealthCheck
    from erstwhile.exports.export import Exported as Exported
    from erstwhile.exports.importing import Imported as Imported
    from erstwhile.exports.staging import Refusal as Refusal
    from erstwhile.facts.conflict import Conflict as Conflict
    from erstwhile.facts.entity import (
        Entity as Entity,
    )
    from erstwhile.facts.entity import (
        EntityCard as EntityCard,
    )
    from erstwhile.facts.entity import (
        Neighbour as Neighbour,
    )
    from erstwhile.facts.fact import (
        FactChange as FactChange,
    )
    from erstwhile.facts.fact import (
        Relation as Relation,
    )
    from erstwhile.facts.fact import (
        Source as Source,
    )
    from erstwhile.facts.held import Held as Held
    from erstwhile.facts.usage_signals import Feedback as Feedback
    from erstwhile.facts.usage_signals import Judged as Judged
    from erstwhile.learning.attempt import (
        Attempt as Attempt,
    )
    from erstwhile.learning.attempt import (
        AttemptChange as AttemptChange,
    )
    from erstwhile.learning.attempt import (
        AttemptOutcome as AttemptOutcome,
    )
    from erstwhile.learning.attempt import Observed as Observed
    from erstwhile.learning.change import Act as Act
    from erstwhile.learning.progress import LearningStatus as LearningStatus
    from erstwhile.learning.progress import Waiting as Waiting
    from erstwhile.profile.identities import Identity as Identity
    from erstwhile.profile.onboarding import OnboardingStage as OnboardingStage
    from erstwhile.recall.hits import (
        Channel as Channel,
    )
    from erstwhile.recall.hits import (
        Considered as Considered,
    )
    from erstwhile.recall.hits import (
        Passage as Passage,
    )
    from erstwhile.recall.hits import (
        RecallHits as RecallHits,
    )
    from erstwhile.recall.hits import (
        Why as Why,
    )
    from erstwhile.recall.hits import (
        WhyNot as WhyNot,
    )
    from erstwhile.records.model import LimitationStatus as LimitationStatus
    from erstwhile.records.model import ObservationType as ObservationType
    from erstwhile.records.model import OutcomeTally as OutcomeTally
    from erstwhile.repairing.repair import Repaired as Repaired
    from erstwhile.repairing.salvage import SalvagedRows as SalvagedRows
    from erstwhile.snapshots.snapshot import ChangedBlock as ChangedBlock
    from erstwhile.snapshots.snapshot import ChangedFact as ChangedFact
    from erstwhile.snapshots.snapshot import Restoration as Restoration
    from erstwhile.snapshots.snapshot import Snapshot as Snapshot
    from erstwhile.snapshots.snapshot import SnapshotDiff as SnapshotDiff
    from erstwhile.storage.audit_chain import Entry as Entry
    from erstwhile.storage.audit_chain import Verification as Verification
    from erstwhile.storage.audit_repair import TimeRepair as TimeRepair
    from erstwhile.tasks.checkpoint import (
        CheckpointStatus as CheckpointStatus,
    )
    from erstwhile.tasks.checkpoint import (
        RunProgress as RunProgress,
    )
    from erstwhile.tasks.task import (
        AfterFailure as AfterFailure,
    )
    from erstwhile.tasks.task import (
        Claim as Claim,
    )
    from erstwhile.tasks.task import (
        Failure as Failure,
    )
    from erstwhile.tasks.task import (
        RunStatus as RunStatus,
    )
    from erstwhile.tasks.task import (
        Scheduled as Scheduled,
    )
    from erstwhile.tasks.task import (
        SimilarTask as SimilarTask,
    )
    from erstwhile.tasks.task import (
        TaskRun as TaskRun,
    )
    from erstwhile.tasks.task import (
        TaskStatus as TaskStatus,
    )
    from erstwhile.tasks.task import (
        TaskType as TaskType,
    )
    from erstwhile.upkeep.maintain import Maintained as Maintained
    from erstwhile.upkeep.maintain import MaintenanceStep as MaintenanceStep
    from erstwhile.usage.entry import UsagePeriod as UsagePeriod
    from erstwhile.usage.entry import UsageSummary as UsageSummary
    from erstwhile.usage.prices import Price as Price

_NAMES = LazyNames(
    __name__,
    {
        "blocks.block": "BlockChange Overflow",
        "context.model": "ContextItem ContextReport HistoryOverflow LeftOut Omission Section",
        "conversations.conversation": (
            "Compaction ConversationStats ConversationStatus Exchange ExternalSession "
            "Role Transcript"
        ),
        "backups.backup": "Backup",
        "backups.restore": "Restored",
        "copying.copy": "Copied",
        "exports.export": "Exported",
        "exports.importing": "Imported",
        "exports.staging": "Refusal",
        "examining.diagnosis": "Diagnosis Health HealthCheck",
        "core.receipt": "Erasure",
        "core.background": "BackgroundFailure",
        "core.kinds": "Ending Kind Origin State TextKind Tier Trust",
        "core.language": "LanguageGuess",
        "core.flushed": "Flushed",
        "core.stats": "Stats",
        "decisions.decision": (
            "Advice Choice Coverage Decider DecisionHit DecisionOutcome FoundBy Lasting Namespace "
            "Suggestion"
        ),
        "facts.conflict": "Conflict",
        "facts.entity": "Entity EntityCard Neighbour",
        "facts.fact": "FactChange Relation Source",
        "facts.held": "Held",
        "facts.usage_signals": "Feedback Judged",
        "learning.attempt": "Attempt AttemptChange AttemptOutcome Observed",
        "learning.change": "Act",
        "learning.progress": "LearningStatus Waiting",
        "profile.identities": "Identity",
        "profile.onboarding": "OnboardingStage",
        "recall.hits": "Channel Considered Passage RecallHits Why WhyNot",
        "core.hits": "Trace",
        "records.model": "LimitationStatus ObservationType OutcomeTally",
        "repairing.repair": "Repaired",
        "repairing.salvage": "SalvagedRows",
        "snapshots.snapshot": "ChangedBlock ChangedFact Restoration Snapshot SnapshotDiff",
        "storage.audit_chain": "Entry Verification",
        "storage.audit_repair": "TimeRepair",
        "tasks.checkpoint": "CheckpointStatus RunProgress",
        "tasks.task": (
            "AfterFailure Claim Failure RunStatus Scheduled SimilarTask TaskRun TaskStatus TaskType"
        ),
        "upkeep.maintain": "Maintained MaintenanceStep",
        "core.retention": "Retained",
        "usage.entry": "UsagePeriod UsageSummary",
        "usage.prices": "Price",
    },
)
__all__ = sorted(_NAMES.homes)


def __getattr__(name: str) -> object:
    return _NAMES.load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
