"""Uses and feedback on PostgreSQL, apart from facts and with many writers."""

# ruff: noqa: S608  the names of tables are our own

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.engines.postgres.conftest import Raw


def written_by(raw: Raw, space: str, table: str) -> list[tuple[object, ...]]:
    """Return the transactions that wrote the rows of a table."""
    query = f"SELECT xmin::text, ctid::text FROM erstwhile.{table} WHERE space = %s ORDER BY 1, 2"
    return raw.execute(query.encode(), [space]).fetchall()


def test_using_and_judging_rewrite_no_row_of_facts(memory: Memory, raw: Raw, space: str) -> None:
    """Nor is a row of the search index."""
    tables = ("facts", "passages", "partitions", "passage_terms", "term_counts")
    fact = memory.remember("Ana drinks tea", entities=["Ana"])
    before = {table: written_by(raw, space, table) for table in tables}
    assert all(before.values())
    memory.context("tea")
    memory.flush()
    memory.feedback(fact.id, "useful")
    assert {table: written_by(raw, space, table) for table in tables} == before
    assert len(written_by(raw, space, "fact_uses")) == 1


def test_many_clients_note_at_once(
    engine: PostgresEngine, clock: FakeClock, raw: Raw, space: str
) -> None:
    """Each has a scope of its own, and others remember meanwhile."""
    memory = assemble(engine, clock, Viewer())
    memory.remember("everybody drinks tea")

    def used(number: int) -> None:
        reader = assemble(engine, clock, Viewer()).scoped(user=f"user {number % 5}")
        reader.context(f"tea {number}")
        reader.remember(f"fact {number}")
        reader.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(used, range(40)))
    counted = b"SELECT count(*) FROM erstwhile.fact_uses WHERE space = %s AND fact = %s"
    shared = memory.facts.list(contains="everybody")[0].id
    assert raw.execute(counted, [space, shared]).fetchall() == [(5,)]
    assert memory.everything().audit.verify().ok
