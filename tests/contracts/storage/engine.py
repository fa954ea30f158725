"""The contract of an engine: transactions, snapshots, errors, threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Thread
from typing import Any

import pytest

from erstwhile.core.errors import (
    ClosedError,
    ConflictError,
    ErstwhileError,
    InvalidInputError,
    StorageError,
)
from erstwhile.core.ports import Engine, Session
from erstwhile.memory import Memory
from tests.contracts.base import Contract, contents, texts, unchanged

COUNT = "SELECT COUNT(*) FROM facts"
DROP_TEXTS = "UPDATE facts SET text = ''"
THREADS = 8


class EngineContract(Contract):
    def test_it_says_who_it_is(self, engine: Engine) -> None:
        """Its dialect names its SQL, its space the tenant; it knows its schema and its size."""
        assert engine.dialect.isidentifier()
        assert engine.space
        assert engine.schema() >= 1
        assert engine.size() > 0

    def test_statements_return_rows_and_counts(self, memory: Memory, engine: Engine) -> None:
        """`rows` gives tuples, `run` how many rows it changed."""
        memory.remember_many(["1", "2", "3"])
        texts_of_all = "SELECT text, key FROM facts ORDER BY id"
        rows = engine.read(lambda session: session.rows(texts_of_all, {}))
        assert [tuple(row) for row in rows] == [("1", None), ("2", None), ("3", None)]
        change = "UPDATE facts SET pinned = 1 WHERE text <> :text"
        assert engine.write(lambda session: session.run(change, {"text": "2"})) == 2
        assert engine.write(lambda session: session.run(change, {"text": "2"})) == 2
        none = "UPDATE facts SET pinned = 1 WHERE text = :text"
        assert engine.write(lambda session: session.run(none, {"text": "nine"})) == 0

    def test_the_rows_of_a_long_query_come_one_by_one(self, engine: Engine) -> None:
        """`each` yields what `rows` returns."""
        numbers = (
            "WITH RECURSIVE n (number) AS "
            "(SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < 2500) "
            "SELECT number, CAST(:text AS TEXT) FROM n ORDER BY number"
        )
        given = {"text": "x"}
        rows, each = engine.read(
            lambda session: (session.rows(numbers, given), list(session.each(numbers, given)))
        )
        assert (
            list(map(tuple, each)) == list(map(tuple, rows)) == [(n, "x") for n in range(1, 2501)]
        )

    @pytest.mark.parametrize(
        "error", [ValueError("mine"), InvalidInputError("ours"), KeyboardInterrupt()]
    )
    def test_work_that_fails_is_rolled_back(
        self, memory: Memory, engine: Engine, error: BaseException
    ) -> None:
        """Its error comes out as it is, and the engine goes on."""
        memory.remember("x")

        def fails(session: Session) -> None:
            session.run(DROP_TEXTS, {})
            raise error

        with unchanged(memory), pytest.raises(type(error)) as caught:
            engine.write(fails)
        assert caught.value is error
        memory.remember("y")
        assert texts(memory.facts.list()) == ["y", "x"]

    def test_reading_changes_nothing(self, memory: Memory, engine: Engine) -> None:
        memory.remember("x")
        with unchanged(memory), suppress(ErstwhileError):
            engine.read(lambda session: session.run(DROP_TEXTS, {}))

    def test_a_read_sees_one_snapshot(self, memory: Memory, engine: Engine) -> None:
        """What others write meanwhile is not in it, and is in the next."""
        memory.remember("first")

        def counted_twice(session: Session) -> tuple[Any, Any]:
            before = session.rows(COUNT, {})
            writer.start()
            writer.join(timeout=0.2)
            return before, session.rows(COUNT, {})

        writer = Thread(target=memory.remember, args=("second",))
        before, after = engine.read(counted_twice)
        assert before == after
        writer.join(60)
        assert memory.facts.count() == 2

    def test_a_transaction_sees_its_own_changes(self, memory: Memory, engine: Engine) -> None:
        memory.remember("x")

        def seen(session: Session) -> Any:
            session.run("UPDATE facts SET text = 'y'", {})
            return session.rows("SELECT text FROM facts", {})

        assert [tuple(row) for row in engine.write(seen)] == [("y",)]

    @pytest.mark.parametrize("way", ["read", "write"])
    def test_no_driver_s_error_gets_out(self, engine: Engine, way: str) -> None:
        """A statement that the database refuses is a StorageError; the engine goes on."""
        run: Callable[..., Any] = getattr(engine, way)
        with pytest.raises(StorageError):
            run(lambda session: session.rows("SELECT nonsense FROM nowhere", {}))
        assert run(lambda session: session.rows(COUNT, {}))[0][0] == 0

    def test_what_a_constraint_refuses_is_a_conflict(self, memory: Memory, engine: Engine) -> None:
        """Two open facts may not say the same, whoever writes them."""
        memory.remember_many(["1", "2"])
        same = "UPDATE facts SET fingerprint = :same"
        with unchanged(memory), pytest.raises(ConflictError):
            engine.write(lambda session: session.run(same, {"same": b"\0" * 16}))

    def test_compacting_keeps_everything(self, memory: Memory, engine: Engine) -> None:
        """It rewrites the store and changes nothing in it."""
        memory.remember_many([f"fact {number}" for number in range(50)])
        with unchanged(memory):
            engine.compact()
        memory.remember("one more")
        assert memory.facts.count() == 51


class ClosingContract(Contract):
    def test_a_closed_memory_says_so(self, memory: Memory) -> None:
        with memory:
            fact = memory.remember("x")
        memory.close()
        for use in (
            memory.facts.list, memory.stats, memory.entities.list, memory.audit.list,
            memory.audit.verify, memory.facts.purge, memory.scoped(user="ana").facts.count,
            lambda: memory.context("x"), lambda: memory.facts.get(fact.id),
            lambda: memory.facts.value("key"), lambda: memory.facts.history(fact.id),
            lambda: memory.remember("y"), lambda: memory.remember_many(["y"]),
            lambda: memory.facts.set("key", "y"), lambda: memory.facts.retire(fact.id, "wrong"),
            lambda: memory.facts.erase(fact.id),
        ):  # fmt: skip
            with pytest.raises(ClosedError, match="open it again"):
                use()


class ThreadsContract(Contract):
    def test_threads_write_at_once_and_lose_nothing(self, memory: Memory) -> None:
        """Each gets its own fact back, and the trail is whole."""

        def said(thread: int) -> list[str]:
            return [memory.remember(f"{thread} {number}").text for number in range(20)]

        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(said, range(THREADS)))
        assert results == [[f"{t} {n}" for n in range(20)] for t in range(THREADS)]
        assert memory.facts.count() == 20 * THREADS
        assert len({fact.recorded_at for fact in memory.facts.list(limit=1_000)}) == 20 * THREADS
        assert memory.audit.verify().ok

    def test_one_thread_s_failure_is_its_own(self, memory: Memory) -> None:
        """Those whose commit it shared are stored."""
        memory.facts.set("payee", "Ana")
        start = Barrier(THREADS, timeout=60)

        def act(thread: int) -> str:
            start.wait()
            if thread % 2:
                return memory.remember(f"fact {thread}").text
            try:
                return memory.facts.set("payee", f"Mallory {thread}", origin="web").text
            except ErstwhileError as error:
                return error.code

        for _ in range(10):
            with ThreadPoolExecutor(THREADS) as pool:
                results = list(pool.map(act, range(THREADS)))
            assert results == [
                f"fact {thread}" if thread % 2 else "refused" for thread in range(THREADS)
            ]
        assert memory.facts.count() == 1 + THREADS // 2
        assert memory.facts.value("payee") == "Ana"
        assert memory.audit.verify().ok

    def test_the_same_words_at_once_are_one_fact(self, memory: Memory) -> None:
        """Each of them is evidence."""
        facts = _at_once(lambda _: memory.remember("x", origin="learned"))
        assert len({fact.id for fact in facts}) == 1
        assert sorted(fact.evidence for fact in facts) == list(range(1, THREADS + 1))
        assert memory.facts.count(state="any") == 1

    def test_a_key_set_at_once_has_one_value(self, memory: Memory) -> None:
        """The others are in its history."""
        _at_once(lambda thread: memory.facts.set("city", f"city {thread}"))
        assert memory.facts.count(key="city") == 1
        assert memory.facts.count(key="city", state="retired") == THREADS - 1

    def test_a_fact_replaced_at_once_is_replaced_once(self, memory: Memory) -> None:
        """All but one are refused."""
        fact = memory.remember("x")

        def replaced(thread: int) -> bool:
            try:
                memory.facts.replace(fact.id, f"replacement {thread}")
            except ConflictError:
                return False
            return True

        assert sum(_at_once(replaced)) == 1
        assert memory.facts.count() == 1
        assert len(contents(memory)[0]) == 2


def _at_once(work: Callable[[int], Any]) -> list[Any]:
    start = Barrier(THREADS, timeout=60)

    def started(thread: int) -> Any:
        start.wait()
        return work(thread)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))
