"""Contracts, one file per subject. The test module of an engine has a fixture `engine`, and says

globals().update(contracts.tests())
"""

from __future__ import annotations

from tests.contracts.advice import AdviceContract
from tests.contracts.atomicity import AtomicityContract
from tests.contracts.attempts import AttemptsContract
from tests.contracts.audit import AuditContract, TamperingContract
from tests.contracts.base import Contract
from tests.contracts.belief import ConfidenceContract, TrustContract
from tests.contracts.block_history import BlockHistoryContract
from tests.contracts.block_limits import BlockLimitsContract
from tests.contracts.block_scope import BlockScopeContract
from tests.contracts.blocks import BlocksContract
from tests.contracts.branching import BranchingContract, CompactionContract
from tests.contracts.checkpoints import (
    CheckpointsContract,
    ForgottenRunsContract,
    RunScopesContract,
)
from tests.contracts.conflicts import ConflictsContract
from tests.contracts.context import ContextContract
from tests.contracts.context_budget import ContextBudgetContract
from tests.contracts.context_talk import ContextTalkContract
from tests.contracts.conversations import ConversationsContract
from tests.contracts.daily_limit import DailyLimitContract
from tests.contracts.decisions import DecisionsContract
from tests.contracts.endings import RetiringContract, UndoContract
from tests.contracts.engine import ClosingContract, EngineContract, ThreadsContract
from tests.contracts.entities import AliasesContract, EdgesContract, EntitiesContract
from tests.contracts.expiry import ExpiredContract, ExpiryContract
from tests.contracts.failing_llm import FailingLlmContract
from tests.contracts.feedback import FeedbackContract
from tests.contracts.finding import FindingContract
from tests.contracts.forgetting import DeletingContract, ErasingContract, PurgingContract
from tests.contracts.history import HistoryContract
from tests.contracts.identities import IdentitiesContract
from tests.contracts.indexing import IndexingContract
from tests.contracts.isolation import IsolationContract
from tests.contracts.keys import BackDatedKeysContract, KeysContract
from tests.contracts.learning import LearningContract
from tests.contracts.learning_branches import LearningBranchesContract
from tests.contracts.learning_old_talk import LearningOldTalkContract
from tests.contracts.learning_progress import LearningLeaseContract, LearningProgressContract
from tests.contracts.learning_story import LearningStoryContract
from tests.contracts.lessons import LessonsContract
from tests.contracts.limitations import LimitationsContract
from tests.contracts.limits import LimitsContract
from tests.contracts.listing import ListingContract, PagingContract
from tests.contracts.message_search import MessageSearchContract
from tests.contracts.messages import MessagesContract, UndoMessagesContract
from tests.contracts.observations import ObservationsContract
from tests.contracts.outcomes import OutcomesContract
from tests.contracts.precedents import DecisionVectorsContract, PrecedentsContract
from tests.contracts.profile import OnboardingContract, ProfileContract
from tests.contracts.quarantine import LoweredTrustContract, QuarantineContract
from tests.contracts.recall import RecallContract, TailsContract
from tests.contracts.recall_scope import RecallFiltersContract, RecallTimeContract, WhyNotContract
from tests.contracts.record_isolation import RecordIsolationContract
from tests.contracts.records import RecordLimitsContract, RecordsContract
from tests.contracts.recurring import FailingContract, RecurringContract
from tests.contracts.reembedding import ReembeddingContract
from tests.contracts.remembering import RememberingContract, RememberingManyContract
from tests.contracts.replacing import RefusedReplacementContract, ReplacingContract
from tests.contracts.scope import OwnershipContract, VisibilityContract
from tests.contracts.secrets import SecretsContract
from tests.contracts.sessions import SessionsContract
from tests.contracts.states import StatesContract
from tests.contracts.summaries import SummariesContract
from tests.contracts.talk_erasing import (
    TalkAtomicityContract,
    TalkErasingContract,
    TalkTamperingContract,
)
from tests.contracts.task_changes import TaskChangesContract, TaskListContract
from tests.contracts.tasks import PlanningContract, SimilarTasksContract, TwinTasksContract
from tests.contracts.time import ClockContract, TimeContract
from tests.contracts.twins import TwinsContract
from tests.contracts.usage import UsageContract
from tests.contracts.uses import UsesContract
from tests.contracts.work_trail import ManyHandsContract, WorkTrailContract
from tests.contracts.working import ClaimingContract, LeaseContract

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
