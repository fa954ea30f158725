"""Reads of a distributed memory that go to their server together, on a real Citus cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pytest

import erstwhile
from erstwhile import Memory, Settings
from erstwhile.core.ids import MAX_ID
from erstwhile.core.ports import Row, Session
from erstwhile.core.time import ENDLESS
from erstwhile.engines.postgres.connection import numbered
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.postgres.session import PostgresSession
from erstwhile.operations import store
from erstwhile.storage.statements import load
from tests.engines.postgres.cluster import REASON, VARIABLE, Cluster
from tests.storage.walking import variants

pytestmark = [
    pytest.mark.skipif(VARIABLE not in os.environ, reason=REASON),
    pytest.mark.xdist_group("citus"),
]
SQL = load("postgres")
SPACE = {"space": "a space"}
COUNT = "SELECT count(*) FROM commits WHERE space = :space"
ADD = "INSERT INTO commits (space, client, number, stored_at) VALUES (:space, :client, 1, 1)"
FAILING = "SELECT 1 / (number - number) FROM commits WHERE space = :space"
EVERY_TYPE = """SELECT c.number, CAST(NULL AS TEXT), CAST(:text AS TEXT), CAST(:bytes AS BYTEA),
  CAST(:float AS FLOAT8), CAST('-infinity' AS FLOAT8), c.number > 1, 1.50, CAST('[null]' AS JSONB),
  ARRAY[c.number], ARRAY['a', NULL], CAST(1 AS SMALLINT), CAST('2026-11-17' AS DATE), c.number
  FROM commits AS c WHERE c.space = :space ORDER BY c.client"""
VALUES = {
    "text": MAX_ID, "bigint": ENDLESS, "integer": 1, "double precision": 1.0, "jsonb": "[]",
    "bytea": b"\0",
}  # fmt: skip
TOGETHER = "FROM read_all_here"


@pytest.fixture
def engine(distributed: str) -> Iterator[PostgresEngine]:
    engine = PostgresEngine(distributed, space=SPACE["space"])
    engine.write(
        lambda session: session.execute_async(ADD, {**SPACE, "client": os.urandom(8).hex()})
    )
    yield engine
    engine.close()


def opened(url: str, **more: Any) -> Memory:
    return erstwhile.open(url, settings=Settings(space=SPACE["space"], embedder="none", **more))


def test_a_call_sends_what_it_reads_first_together(distributed: str, sent: list[str]) -> None:
    with opened(distributed) as memory:
        memory.remember("Ana drinks green tea")
        memory.recall("who drinks tea?")
        sent.clear()
        assert memory.recall("who drinks tea?")
        assert sum(TOGETHER in each for each in sent) == 1
        assert not any("MAX(at)" in each or "entity_names" in each for each in sent)
        assert sum("SELECT" in each and "set_config" not in each for each in sent) <= 4
        sent.clear()
        memory.remember("Ana drinks water")
        assert sum(TOGETHER in each for each in sent) == 1
        assert not any("head_seq" in each for each in sent)


def both(engine: PostgresEngine, asked: Sequence[tuple[str, dict[str, Any]]]) -> list[list[Row]]:
    """Return the rows of reads that are sent together, after a comparison with each alone."""

    def read(session: Session) -> tuple[list[list[Row]], list[list[Row]]]:
        assert isinstance(session, PostgresSession)
        fetches = [session.prefetch(text, params) for text, params in asked]
        alone = [
            session._execute(text, params).fetchall() if "clock" not in text else []
            for text, params in asked
        ]
        return [fetch() for fetch in fetches], alone

    together, alone = engine.read(read)
    for (text, _), here, there in zip(asked, together, alone, strict=True):
        assert "clock" in text or repr(here) == repr(there), text
    return together


def test_values_are_the_same_as_of_a_read_alone(engine: PostgresEngine, sent: list[str]) -> None:
    texts = (
        "",
        'it\'s \\ "quoted", {a,NULL}\n\t',
        "Grüße, 東京 \U0001f375",
        "NULL",
        "%s $1 :space",
    )
    given = [
        {**SPACE, "text": text, "bytes": text.encode() + b"\0\xff", "float": number}
        for text in texts
        for number in (0.1, 1e300, -0.0, float("inf"), float("nan"), None)
    ]
    rows = both(engine, [(EVERY_TYPE, params) for params in given])
    assert sum(TOGETHER in each for each in sent) == 1
    assert all(each and len(each[0]) == 14 for each in rows)
    assert [each[0][2] for each in rows] == [params["text"] for params in given]


def test_every_read_gives_the_same_rows_together_and_alone(
    distributed: str, engine: PostgresEngine, sent: list[str]
) -> None:
    with opened(distributed) as memory:
        fact = memory.remember("Ana met Bob", tags=["people"], entities=["Ana", "Bob"])
        memory.conversations.add_exchange("we met", "noted")
        memory.blocks.add("persona", "a patient helper")
        named = {"ids": json.dumps([fact.id]), "facts": json.dumps([fact.id]), "id": fact.id}
    reads = [*_reads(distributed, engine, named)]
    sent.clear()
    answered = 0
    for start in range(0, len(reads), 50):
        answered += sum(map(bool, both(engine, reads[start : start + 50])))
    assert sum(TOGETHER in each for each in sent) == -(-len(reads) // 50)
    assert len(reads) > 1_000
    assert answered > 100


def _suits(session: Session) -> Callable[[str], bool]:
    assert isinstance(session, PostgresSession)
    assert session._shard_pipeline is not None
    return session._shard_pipeline._reads._suits


def _reads(
    url: str, engine: PostgresEngine, named: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every variant of every read that goes together, with values that find something."""
    suits = engine.read(_suits)
    usual = {**SPACE, **dict.fromkeys(("user", "agent", "project", "session"), ""), **named}
    usual |= {"as_of": ENDLESS - 1, "known_at": ENDLESS, "limit": 100, "names": '["ana"]'}
    usual["seqs"] = json.dumps([*range(1, 100)])
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = erstwhile, pg_temp")
        for text in (text for name in SQL.names for text in variants(SQL, name)):
            asked, names = numbered(text)
            if not suits(asked):
                continue
            connection.execute(f"PREPARE asked AS {asked}".encode())
            [(types,)] = connection.execute(
                "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'asked'"
            ).fetchall()
            connection.execute("DEALLOCATE asked")
            typed = zip(names, types, strict=True)
            yield text, {name: usual.get(name, VALUES[kind]) for name, kind in typed}


def _added(session: Session, client: str) -> int:
    session.execute_async(ADD, {**SPACE, "client": client})
    return 1


def _ran(session: Session, client: str) -> int:
    return session.run(ADD, {**SPACE, "client": client})


def _added_many(session: Session, client: str) -> int:
    """Add more than are deferred at once."""
    return sum(_added(session, f"{client} {number}") for number in range(250))


@pytest.mark.parametrize("change", [_added, _ran, _added_many])
def test_a_read_sees_the_changes_before_it_and_none_after_it(
    engine: PostgresEngine, change: Callable[[Session, str], int]
) -> None:
    def work(session: Session) -> tuple[int, list[Any]]:
        before = [session.prefetch(COUNT, SPACE) for _ in range(2)]
        added = change(session, "a first one")
        between = [session.prefetch(COUNT, SPACE) for _ in range(2)]
        added += change(session, "a second one")
        after = session.prefetch(COUNT, SPACE)
        counts = [fetch()[0][0] for fetch in (after, *between, *before)]
        session.run("DELETE FROM commits WHERE space = :space AND client LIKE 'a %'", SPACE)
        return added, counts

    added, [after, *between, first, second] = engine.write(work)
    assert first == second
    assert between == [first + added // 2] * 2
    assert after == first + added


def test_a_read_that_fails_is_raised_even_if_nobody_asks_for_its_rows(
    engine: PostgresEngine, sent: list[str]
) -> None:
    def unread(session: Session) -> None:
        for statement in (COUNT, FAILING):
            session.prefetch(statement, SPACE)

    def read(session: Session) -> None:
        fetches = [session.prefetch(statement, SPACE) for statement in (COUNT, FAILING)]
        for fetch in fetches:
            fetch()

    for transaction in (engine.read, engine.write):
        for work in (unread, read):
            with pytest.raises(erstwhile.StorageError, match="division by zero"):
                transaction(work)
    assert sum(TOGETHER in each for each in sent) == 4
    assert engine.read(lambda session: session.rows(COUNT, SPACE))


def _waiting_read(session: Session) -> None:
    session.prefetch(FAILING, SPACE)


def _waiting_change(session: Session) -> None:
    session.execute_async(ADD, {**SPACE, "client": "of no change"})


@pytest.mark.parametrize("wait", [_waiting_read, _waiting_change])
def test_nothing_that_waits_outlives_a_change_that_was_given_up(
    engine: PostgresEngine, wait: Callable[[Session], None], sent: list[str]
) -> None:
    def given_up(session: Session) -> None:
        wait(session)
        raise LookupError

    [(before,)] = engine.read(lambda session: session.rows(COUNT, SPACE))
    with pytest.raises(LookupError):
        engine.write(given_up)
    sent.clear()
    assert engine.read(lambda session: session.rows(COUNT, SPACE)) == [(before,)]
    first_words = [each.split()[0] for each in sent if "LOCAL" not in each]
    assert first_words == ["BEGIN", "SELECT", "SELECT", "ROLLBACK"]  # one reads, one has settings


def test_a_database_that_was_distributed_without_the_function_names_the_remedy(
    cluster: Cluster, distributed: str
) -> None:
    cluster.coordinator.execute("memory", "DROP FUNCTION erstwhile.read_all_here")
    with pytest.raises(erstwhile.StorageError, match="earlier version") as refused:
        PostgresEngine(distributed).read(lambda session: session.rows(COUNT, SPACE))
    assert "erstwhile distribute" in refused.value.remedy
    assert store.distribute(distributed) == []
    with opened(distributed) as memory:
        assert memory.recall("who drinks tea?")
