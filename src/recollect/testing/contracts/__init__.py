"""Contracts, one file per subject. Subclass each of them in the test module of an engine."""

from __future__ import annotations

from recollect.testing.contracts.advice import AdviceContract
from recollect.testing.contracts.atomicity import AtomicityContract
from recollect.testing.contracts.audit import AuditContract, TamperingContract
from recollect.testing.contracts.belief import ConfidenceContract, TrustContract
from recollect.testing.contracts.block_history import BlockHistoryContract
from recollect.testing.contracts.block_limits import BlockLimitsContract
from recollect.testing.contracts.block_scope import BlockScopeContract
from recollect.testing.contracts.blocks import BlocksContract
from recollect.testing.contracts.decisions import DecisionsContract
from recollect.testing.contracts.endings import RetiringContract, UndoContract
from recollect.testing.contracts.engine import ClosingContract, EngineContract, ThreadsContract
from recollect.testing.contracts.entities import AliasesContract, EdgesContract, EntitiesContract
from recollect.testing.contracts.expiry import ExpiredContract, ExpiryContract
from recollect.testing.contracts.finding import FindingContract
from recollect.testing.contracts.forgetting import (
    DeletingContract,
    ErasingContract,
    PurgingContract,
)
from recollect.testing.contracts.history import HistoryContract
from recollect.testing.contracts.indexing import IndexingContract
from recollect.testing.contracts.isolation import IsolationContract
from recollect.testing.contracts.keys import BackDatedKeysContract, KeysContract
from recollect.testing.contracts.limits import LimitsContract
from recollect.testing.contracts.listing import ListingContract, PagingContract
from recollect.testing.contracts.precedents import DecisionVectorsContract, PrecedentsContract
from recollect.testing.contracts.recall import RecallContract, TailsContract
from recollect.testing.contracts.recall_scope import (
    RecallFiltersContract,
    RecallTimeContract,
    WhyNotContract,
)
from recollect.testing.contracts.reembedding import ReembeddingContract
from recollect.testing.contracts.remembering import RememberingContract, RememberingManyContract
from recollect.testing.contracts.replacing import RefusedReplacementContract, ReplacingContract
from recollect.testing.contracts.scope import OwnershipContract, VisibilityContract
from recollect.testing.contracts.states import StatesContract
from recollect.testing.contracts.time import ClockContract, TimeContract
from recollect.testing.contracts.twins import TwinsContract

__all__ = [
    "AdviceContract",
    "AliasesContract",
    "AtomicityContract",
    "AuditContract",
    "BackDatedKeysContract",
    "BlockHistoryContract",
    "BlockLimitsContract",
    "BlockScopeContract",
    "BlocksContract",
    "ClockContract",
    "ClosingContract",
    "ConfidenceContract",
    "DecisionVectorsContract",
    "DecisionsContract",
    "DeletingContract",
    "EdgesContract",
    "EngineContract",
    "EntitiesContract",
    "ErasingContract",
    "ExpiredContract",
    "ExpiryContract",
    "FindingContract",
    "HistoryContract",
    "IndexingContract",
    "IsolationContract",
    "KeysContract",
    "LimitsContract",
    "ListingContract",
    "OwnershipContract",
    "PagingContract",
    "PrecedentsContract",
    "PurgingContract",
    "RecallContract",
    "RecallFiltersContract",
    "RecallTimeContract",
    "ReembeddingContract",
    "RefusedReplacementContract",
    "RememberingContract",
    "RememberingManyContract",
    "ReplacingContract",
    "RetiringContract",
    "StatesContract",
    "TailsContract",
    "TamperingContract",
    "ThreadsContract",
    "TimeContract",
    "TrustContract",
    "TwinsContract",
    "UndoContract",
    "VisibilityContract",
    "WhyNotContract",
]
