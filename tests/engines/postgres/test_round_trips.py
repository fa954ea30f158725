"""How often a call waits for the server. Behind a slow network, this is what a call costs."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from psycopg._pipeline_base import BasePipeline

from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Params
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.postgres.session import PostgresSession


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the times that a pipeline waits for answers."""
    counted: list[int] = []
    fetch = BasePipeline._fetch_gen

    def counting(pipeline: BasePipeline, *, flush: bool) -> Generator[Any, Any, None]:
        if pipeline.result_queue:
            counted.append(1)
        yield from fetch(pipeline, flush=flush)

    monkeypatch.setattr(BasePipeline, "_fetch_gen", counting)
    return counted


def test_a_call_waits_for_the_server_only_when_it_must(
    engine: PostgresEngine, waits: list[int]
) -> None:
    """`remember` waits six times, and once more for each similar fact that it reads."""
    ana = assemble(engine, SystemClock(), Viewer()).scoped(user="ana")
    for text in ("Ana drinks tea", "Ana drinks coffee"):
        ana.remember(text)
    waits.clear()
    ana.remember("Ana drinks water")
    assert 0 < len(waits) <= 8
    ana.recall("tea")
    waits.clear()
    assert ana.recall("coffee")
    assert 0 < len(waits) <= 9


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the statements that are sent."""
    noted: list[str] = []
    execute = PostgresSession._execute

    def noting(session: PostgresSession, statement: str, params: Params) -> Any:
        noted.append(statement)
        return execute(session, statement, params)

    monkeypatch.setattr(PostgresSession, "_execute", noting)
    return noted


def test_facts_that_match_alike_are_read_at_once(engine: PostgresEngine, sent: list[str]) -> None:
    """All of them are compared, because small factors decide between them."""
    ana = assemble(engine, SystemClock(), Viewer()).scoped(user="ana")
    ana.remember_many([f"friend {number} drinks tea" for number in range(30)])
    sent.clear()
    assert len(ana.recall("tea", limit=5)) == 5
    assert sum("fact_uses" in statement for statement in sent) == 1


def test_a_recall_without_labels_reads_no_table_of_labels(
    engine: PostgresEngine, sent: list[str]
) -> None:
    """Each table that a statement names is planned: before it is measured, or on Citus always."""
    ana = assemble(engine, SystemClock(), Viewer()).scoped(user="ana")
    ana.remember("Ana drinks tea", tags=["drinks"])
    sent.clear()
    assert ana.recall("tea")
    assert not any("fact_tags" in statement for statement in sent)
    assert ana.recall("tea", tag="drinks")
    assert not ana.recall("tea", tag="food")
