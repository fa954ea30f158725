"""Every contract, on a PostgreSQL server; each test has a space of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.engine.postgres import PostgresEngine
from recollect.ports import Engine
from recollect.testing import contracts


@pytest.fixture
def engine(postgres: str, space: str) -> Iterator[Engine]:
    engine = PostgresEngine(postgres, space=space)
    yield engine
    engine.close()


class TestAdvice(contracts.AdviceContract): ...


class TestAliases(contracts.AliasesContract): ...


class TestAtomicity(contracts.AtomicityContract): ...


class TestAudit(contracts.AuditContract): ...


class TestBackDatedKeys(contracts.BackDatedKeysContract): ...


class TestBlockHistory(contracts.BlockHistoryContract): ...


class TestBlockLimits(contracts.BlockLimitsContract): ...


class TestBlockScope(contracts.BlockScopeContract): ...


class TestBlocks(contracts.BlocksContract): ...


class TestClock(contracts.ClockContract): ...


class TestClosing(contracts.ClosingContract): ...


class TestConfidence(contracts.ConfidenceContract): ...


class TestDecisionVectors(contracts.DecisionVectorsContract): ...


class TestDecisions(contracts.DecisionsContract): ...


class TestDeleting(contracts.DeletingContract): ...


class TestEdges(contracts.EdgesContract): ...


class TestEngine(contracts.EngineContract): ...


class TestEntities(contracts.EntitiesContract): ...


class TestErasing(contracts.ErasingContract): ...


class TestExpired(contracts.ExpiredContract): ...


class TestExpiry(contracts.ExpiryContract): ...


class TestFinding(contracts.FindingContract): ...


class TestHistory(contracts.HistoryContract): ...


class TestIndexing(contracts.IndexingContract): ...


class TestIsolation(contracts.IsolationContract): ...


class TestKeys(contracts.KeysContract): ...


class TestLimits(contracts.LimitsContract): ...


class TestListing(contracts.ListingContract): ...


class TestOwnership(contracts.OwnershipContract): ...


class TestPaging(contracts.PagingContract): ...


class TestPrecedents(contracts.PrecedentsContract): ...


class TestPurging(contracts.PurgingContract): ...


class TestRecall(contracts.RecallContract): ...


class TestRecallFilters(contracts.RecallFiltersContract): ...


class TestRecallTime(contracts.RecallTimeContract): ...


class TestReembedding(contracts.ReembeddingContract): ...


class TestRefusedReplacement(contracts.RefusedReplacementContract): ...


class TestRemembering(contracts.RememberingContract): ...


class TestRememberingMany(contracts.RememberingManyContract): ...


class TestReplacing(contracts.ReplacingContract): ...


class TestRetiring(contracts.RetiringContract): ...


class TestStates(contracts.StatesContract): ...


class TestTails(contracts.TailsContract): ...


class TestTampering(contracts.TamperingContract): ...


class TestThreads(contracts.ThreadsContract): ...


class TestTime(contracts.TimeContract): ...


class TestTrust(contracts.TrustContract): ...


class TestTwins(contracts.TwinsContract): ...


class TestUndo(contracts.UndoContract): ...


class TestVisibility(contracts.VisibilityContract): ...


class TestWhyNot(contracts.WhyNotContract): ...
