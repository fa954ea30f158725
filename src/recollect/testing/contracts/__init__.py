"""Contracts, one file per subject. The test module of an engine has a fixture `engine`, and says

globals().update(contracts.tests())
"""

from __future__ import annotations

from recollect.testing.contracts.advice import AdviceContract
from recollect.testing.contracts.atomicity import AtomicityContract
from recollect.testing.contracts.attempts import AttemptsContract
from recollect.testing.contracts.audit import AuditContract, TamperingContract
from recollect.testing.contracts.base import Contract
from recollect.testing.contracts.belief import ConfidenceContract, TrustContract
from recollect.testing.contracts.block_history import BlockHistoryContract
from recollect.testing.contracts.block_limits import BlockLimitsContract
from recollect.testing.contracts.block_scope import BlockScopeContract
from recollect.testing.contracts.blocks import BlocksContract
from recollect.testing.contracts.branching import BranchingContract, CompactionContract
from recollect.testing.contracts.checkpoints import (
    CheckpointsContract,
    ForgottenRunsContract,
    RunScopesContract,
)
from recollect.testing.contracts.conflicts import ConflictsContract
from recollect.testing.contracts.context import ContextContract
from recollect.testing.contracts.context_budget import ContextBudgetContract
from recollect.testing.contracts.context_talk import ContextTalkContract
from recollect.testing.contracts.conversations import ConversationsContract
from recollect.testing.contracts.daily_limit import DailyLimitContract
from recollect.testing.contracts.decisions import DecisionsContract
from recollect.testing.contracts.endings import RetiringContract, UndoContract
from recollect.testing.contracts.engine import ClosingContract, EngineContract, ThreadsContract
from recollect.testing.contracts.entities import AliasesContract, EdgesContract, EntitiesContract
from recollect.testing.contracts.expiry import ExpiredContract, ExpiryContract
from recollect.testing.contracts.failing_llm import FailingLlmContract
from recollect.testing.contracts.feedback import FeedbackContract
from recollect.testing.contracts.finding import FindingContract
from recollect.testing.contracts.forgetting import (
    DeletingContract,
    ErasingContract,
    PurgingContract,
)
from recollect.testing.contracts.history import HistoryContract
from recollect.testing.contracts.identities import IdentitiesContract
from recollect.testing.contracts.indexing import IndexingContract
from recollect.testing.contracts.isolation import IsolationContract
from recollect.testing.contracts.keys import BackDatedKeysContract, KeysContract
from recollect.testing.contracts.learning import LearningContract
from recollect.testing.contracts.learning_branches import LearningBranchesContract
from recollect.testing.contracts.learning_old_talk import LearningOldTalkContract
from recollect.testing.contracts.learning_progress import (
    LearningLeaseContract,
    LearningProgressContract,
)
from recollect.testing.contracts.learning_story import LearningStoryContract
from recollect.testing.contracts.lessons import LessonsContract
from recollect.testing.contracts.limitations import LimitationsContract
from recollect.testing.contracts.limits import LimitsContract
from recollect.testing.contracts.listing import ListingContract, PagingContract
from recollect.testing.contracts.message_search import MessageSearchContract
from recollect.testing.contracts.messages import MessagesContract, UndoMessagesContract
from recollect.testing.contracts.observations import ObservationsContract
from recollect.testing.contracts.outcomes import OutcomesContract
from recollect.testing.contracts.precedents import DecisionVectorsContract, PrecedentsContract
from recollect.testing.contracts.profile import OnboardingContract, ProfileContract
from recollect.testing.contracts.quarantine import LoweredTrustContract, QuarantineContract
from recollect.testing.contracts.recall import RecallContract, TailsContract
from recollect.testing.contracts.recall_scope import (
    RecallFiltersContract,
    RecallTimeContract,
    WhyNotContract,
)
from recollect.testing.contracts.record_isolation import RecordIsolationContract
from recollect.testing.contracts.records import RecordLimitsContract, RecordsContract
from recollect.testing.contracts.recurring import FailingContract, RecurringContract
from recollect.testing.contracts.reembedding import ReembeddingContract
from recollect.testing.contracts.remembering import RememberingContract, RememberingManyContract
from recollect.testing.contracts.replacing import RefusedReplacementContract, ReplacingContract
from recollect.testing.contracts.scope import OwnershipContract, VisibilityContract
from recollect.testing.contracts.secrets import SecretsContract
from recollect.testing.contracts.sessions import SessionsContract
from recollect.testing.contracts.states import StatesContract
from recollect.testing.contracts.summaries import SummariesContract
from recollect.testing.contracts.talk_erasing import (
    TalkAtomicityContract,
    TalkErasingContract,
    TalkTamperingContract,
)
from recollect.testing.contracts.task_changes import TaskChangesContract, TaskListContract
from recollect.testing.contracts.tasks import (
    PlanningContract,
    SimilarTasksContract,
    TwinTasksContract,
)
from recollect.testing.contracts.time import ClockContract, TimeContract
from recollect.testing.contracts.twins import TwinsContract
from recollect.testing.contracts.usage import UsageContract
from recollect.testing.contracts.uses import UsesContract
from recollect.testing.contracts.work_trail import ManyHandsContract, WorkTrailContract
from recollect.testing.contracts.working import ClaimingContract, LeaseContract

__all__ = [
    "AdviceContract",
    "AliasesContract",
    "AtomicityContract",
    "AttemptsContract",
    "AuditContract",
    "BackDatedKeysContract",
    "BlockHistoryContract",
    "BlockLimitsContract",
    "BlockScopeContract",
    "BlocksContract",
    "BranchingContract",
    "CheckpointsContract",
    "ClaimingContract",
    "ClockContract",
    "ClosingContract",
    "CompactionContract",
    "ConfidenceContract",
    "ConflictsContract",
    "ContextBudgetContract",
    "ContextContract",
    "ContextTalkContract",
    "ConversationsContract",
    "DailyLimitContract",
    "DecisionVectorsContract",
    "DecisionsContract",
    "DeletingContract",
    "EdgesContract",
    "EngineContract",
    "EntitiesContract",
    "ErasingContract",
    "ExpiredContract",
    "ExpiryContract",
    "FailingContract",
    "FailingLlmContract",
    "FeedbackContract",
    "FindingContract",
    "ForgottenRunsContract",
    "HistoryContract",
    "IdentitiesContract",
    "IndexingContract",
    "IsolationContract",
    "KeysContract",
    "LearningBranchesContract",
    "LearningContract",
    "LearningLeaseContract",
    "LearningOldTalkContract",
    "LearningProgressContract",
    "LearningStoryContract",
    "LeaseContract",
    "LessonsContract",
    "LimitationsContract",
    "LimitsContract",
    "ListingContract",
    "LoweredTrustContract",
    "ManyHandsContract",
    "MessageSearchContract",
    "MessagesContract",
    "ObservationsContract",
    "OnboardingContract",
    "OutcomesContract",
    "OwnershipContract",
    "PagingContract",
    "PlanningContract",
    "PrecedentsContract",
    "ProfileContract",
    "PurgingContract",
    "QuarantineContract",
    "RecallContract",
    "RecallFiltersContract",
    "RecallTimeContract",
    "RecordIsolationContract",
    "RecordLimitsContract",
    "RecordsContract",
    "RecurringContract",
    "ReembeddingContract",
    "RefusedReplacementContract",
    "RememberingContract",
    "RememberingManyContract",
    "ReplacingContract",
    "RetiringContract",
    "RunScopesContract",
    "SecretsContract",
    "SessionsContract",
    "SimilarTasksContract",
    "StatesContract",
    "SummariesContract",
    "TailsContract",
    "TalkAtomicityContract",
    "TalkErasingContract",
    "TalkTamperingContract",
    "TamperingContract",
    "TaskChangesContract",
    "TaskListContract",
    "ThreadsContract",
    "TimeContract",
    "TrustContract",
    "TwinTasksContract",
    "TwinsContract",
    "UndoContract",
    "UndoMessagesContract",
    "UsageContract",
    "UsesContract",
    "VisibilityContract",
    "WhyNotContract",
    "WorkTrailContract",
]


def tests() -> dict[str, type[Contract]]:
    """A test class for each contract, under a name that pytest collects."""
    named = {f"Test{name.removesuffix('Contract')}": globals()[name] for name in __all__}
    return {name: type(name, (contract,), {}) for name, contract in named.items()}
